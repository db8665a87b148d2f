import { systemClock } from '../../../lib/clock.ts'
import { type CopySource, type CopyTarget, parallelWrites } from '../../copy/port.ts'
import { tables } from '../../shared/tables.ts'
import { putSql, readSql, removeSql, tallySql } from './sql.ts'
import { openDatabase } from '../connection/database.ts'
import { migrate, refuseOlder } from '../schema/migrate.ts'
import { type PostgresOptions, readSettings } from '../connection/settings.ts'
import type { Row } from '../../shared/table.ts'
import { pauseSql } from '../webhooks/webhooks.ts'

/** Gives `work` a snapshot of the database, in one read-only transaction. */
export async function copyFromPostgres<T>(
  url: string,
  options: PostgresOptions,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  const db = await openDatabase(readSettings(url, { ...options, database_pool: 1 }))
  try {
    return await db.write(
      async tx => {
        await tx.script('set transaction isolation level repeatable read, read only')
        // The transaction is idle while the target writes.
        await tx.script('set local idle_in_transaction_session_timeout = 0')
        await refuseOlder(tx)
        return work({
          read: async (...asked) => (await tx.query<object>(...readSql(...asked))).map(valuesOf),
          async count({ name }) {
            const [row] = await tx.query<{ count: number }>(`select count(*) from ${name}`)
            return row?.count ?? 0
          },
        })
      },
      { unlimited: true },
    )
  } finally {
    db.close()
  }
}

export async function openPostgresCopy(url: string, options?: PostgresOptions): Promise<CopyTarget> {
  const db = await openDatabase(readSettings(url, { ...options, database_pool: parallelWrites }))
  try {
    await migrate(db, systemClock.now())
  } catch (error) {
    db.close()
    throw error
  }
  return {
    read: async (...asked) => (await db.query<object>(...readSql(...asked))).map(valuesOf),
    async tally(...asked) {
      const found = await db.write(
        tx => tx.query<{ store: string; rows: string; sum: string }>(...tallySql(...asked)),
        { unlimited: true },
      )
      return new Map(
        found.map(({ store, rows, sum }) => [store, { rows: Number(rows), sum: BigInt(sum) }] as const),
      )
    },
    write: (table, rows, gone) =>
      db.write(
        async tx => {
          if (gone.length > 0) tx.send(...removeSql(table, gone))
          if (rows.length > 0) tx.send(...putSql(table, rows))
        },
        { unlimited: true },
      ),
    async finish() {
      await db.query(pauseSql)
      // Without it, the server would plan its first statements for empty tables.
      const analyze = `analyze ${tables.map(({ name }) => name).join(', ')}`
      await db.write(async tx => void (await tx.script(analyze)), { unlimited: true })
    },
    async close() {
      db.close()
    },
  }
}

/** The columns come in the order of the select list. */
const valuesOf = (row: object): Row => Object.values(row) as Row
