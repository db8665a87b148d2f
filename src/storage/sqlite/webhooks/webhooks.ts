import type { AuditEntry, Webhooks } from '../../port/index.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import { createDeliveries } from './deliveries.ts'
import { createEndpoints } from './endpoints.ts'
import { createPositions } from './positions.ts'

/** For a restored or copied database: it calls nobody until the operator resumes. */
export const pauseSql = `update webhook_sender set paused = 1, watermark = 0 where key = 'all'`

export function createWebhooks(db: Database, writeAudit: WriteAudit): Webhooks {
  const sender = db.prepare<{ paused: number; watermark: number }>(
    `select paused, watermark from webhook_sender where key = 'all'`,
  )
  const stop = db.prepare(`update webhook_sender set paused = 1 where key = 'all' and not paused`)
  const resume = db.prepare(`update webhook_sender set paused = 0 where key = 'all' and paused`)
  const raise = db.prepare(`update webhook_sender set watermark = ?1 where key = 'all' and watermark < ?1`)
  function changed(statement: typeof stop, audit: AuditEntry | undefined): boolean {
    if (statement.run().changes === 0) return false
    writeAudit(audit)
    return true
  }
  return {
    ...createEndpoints(db, writeAudit),
    ...createPositions(db),
    ...createDeliveries(db),
    sender: () =>
      db.query(() => {
        const { paused = 1, watermark = 0 } = sender.get() ?? {}
        return { paused: paused === 1, watermark }
      }),
    stop: audit => db.write(() => changed(stop, audit)),
    resume: audit => db.write(() => changed(resume, audit)),
    setWatermark: watermark =>
      db.write(() => {
        raise.run(watermark)
      }),
  }
}
