import type { AuditEntry, Webhooks } from '../../port/index.ts'
import { writeAudit } from '../accounts/audit.ts'
import type { Database } from '../connection/database.ts'
import { createDeliveries } from './deliveries.ts'
import { createEndpoints } from './endpoints.ts'
import { createPositions } from './positions.ts'

/** For a restored or copied database: it calls nobody until the operator resumes. */
export const pauseSql = `update webhook_sender set paused = true, watermark = 0 where key = 'all'`

export function createWebhooks(db: Database): Webhooks {
  const setPaused = (paused: boolean, audit: AuditEntry | undefined): Promise<boolean> =>
    db.write(async tx => {
      const { count } = await tx.query(
        `update webhook_sender set paused = $1 where key = 'all' and paused <> $1`,
        [paused],
      )
      if (count === 1) writeAudit(tx, audit)
      return count === 1
    })
  return {
    ...createEndpoints(db),
    ...createPositions(db),
    ...createDeliveries(db),
    async sender() {
      const [row] = await db.query<{ paused: boolean; watermark: number }>(
        `select paused, watermark from webhook_sender where key = 'all'`,
      )
      return row ?? { paused: true, watermark: 0 }
    },
    stop: audit => setPaused(true, audit),
    resume: audit => setPaused(false, audit),
    async setWatermark(watermark) {
      await db.query(`update webhook_sender set watermark = $1 where key = 'all' and watermark < $1`, [
        watermark,
      ])
    },
  }
}
