import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type RawRow, type Rows } from './connection.ts'
import { isConflict, translate } from './errors.ts'
import { createPool } from './pool.ts'
import { agreeOnSession } from './session.ts'
import type { Settings } from './settings.ts'
import { batch, transact, type Transaction, type TransactionOptions } from './transaction.ts'
import type { Value } from './values.ts'

export interface Database {
  /** One statement in one round trip. */
  query<Row>(sql: string, values?: readonly Value[]): Promise<Rows<Row>>
  /** One statement that answers with one row, left as bytes. */
  rawRow(sql: string, values: readonly Value[]): Promise<RawRow>
  /** Statements that see the same moment, in one round trip; of each the one row that it answers with. */
  snapshot(...statements: (readonly [sql: string, values: readonly Value[]])[]): Promise<RawRow[]>
  /** Runs `work` as one durable transaction; nothing is written when it throws. May run it more than once. */
  write<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): void
}

/** Runs of a transaction that others get in the way of, the first one included. */
const runs = 5

export async function openDatabase(settings: Settings): Promise<Database> {
  const { parameters, local, prepare } = await agreeOnSession(settings)
  const open = (connect_timeout: number) => connect({ ...settings, connect_timeout, prepare }, parameters)
  const pool = createPool(open, settings.pool, settings.connect_timeout)

  return {
    query: <Row>(sql: string, values: readonly Value[] = []) =>
      guarded(() =>
        pool.use(async connection => {
          if (local === '') return connection.query<Row>(sql, values)
          const [rows] = await batch(connection, `begin${local}`, () => [connection.query<Row>(sql, values)])
          return rows as Rows<Row>
        }),
      ),
    rawRow: (sql, values) =>
      guarded(() =>
        pool.use(async connection => {
          if (local === '') return (await connection.raw(sql, values))[0] as RawRow
          const [rows] = await batch(connection, `begin${local}`, () => [connection.raw(sql, values)])
          return rows?.[0] as RawRow
        }),
      ),
    snapshot: (...statements) =>
      guarded(() =>
        pool.use(async connection => {
          const begin = `begin isolation level repeatable read read only${local}`
          const all = await batch(connection, begin, () =>
            statements.map(([sql, values]) => connection.raw(sql, values)),
          )
          return all.map(rows => rows[0] as RawRow)
        }),
      ),
    write: (work, options) =>
      guarded(() => pool.use(connection => transact(connection, `begin${local}`, work, options))),
    close: pool.close,
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || run === runs) throw translate(error)
    }
    // The random part keeps two transactions from meeting again and again.
    await sleep(10 * run * Math.random())
  }
}
