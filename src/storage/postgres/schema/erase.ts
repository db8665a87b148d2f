import { setTimeout as sleep } from 'node:timers/promises'
import { feedServers, tables, throttles, webhookSender } from '../../shared/tables.ts'
import { type Database, openDatabase } from '../connection/database.ts'
import { type PostgresOptions, readSettings } from '../connection/settings.ts'

const others = `select 1 from pg_stat_activity
  where datname = current_database() and application_name = 'tillgate' and pid <> pg_backend_pid() limit 1`

/** Drops Tillgate's tables from a database that no other process of Tillgate uses. */
export async function erasePostgres(url: string, options: PostgresOptions = {}): Promise<void> {
  const db = await openDatabase({ ...readSettings(url, options), pool: 1 })
  try {
    await refuseUse(db)
    const names = [...tables, throttles, webhookSender, feedServers].map(({ name }) => name).join(', ')
    await db.write(
      async tx => {
        await tx.script(`drop table if exists ${names}, schema_migrations cascade`)
        await tx.script('drop function if exists refuse_audit_change(), refuse_unnumbered() cascade')
      },
      { unlimited: true },
    )
  } finally {
    db.close()
  }
}

/** Connections that this process has closed may need a moment to end. */
async function refuseUse(db: Database): Promise<void> {
  for (let left = 20; (await db.query(others)).length > 0; left--) {
    if (left === 0) {
      throw new Error('another process uses the database; stop every server and command that uses it first')
    }
    await sleep(100)
  }
}
