import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type RawRow, type Rows } from './connection.ts'
import { isConflict, translate } from './errors.ts'
import { createPool } from './pool.ts'
import { negotiateSession } from './session.ts'
import type { Settings } from './settings.ts'
import { batch, forItsValues, transact, type Transaction, type TransactionOptions } from './transaction.ts'
import type { Value } from './values.ts'

export interface Database {
  /** Whether the server has Citus. */
  readonly citus: boolean
  /** One statement in one round trip. */
  query<Row>(sql: string, values?: readonly Value[]): Promise<Rows<Row>>
  /** The same, planned for its values and not for any: for many rows of one app or of many stores. */
  planned<Row>(sql: string, values?: readonly Value[]): Promise<Rows<Row>>
  /** One statement with one result row, its values as bytes. */
  rawRow(sql: string, values: readonly Value[]): Promise<RawRow>
  /** Statements on one snapshot, in one round trip; returns the one row of each. */
  snapshot(...statements: (readonly [sql: string, values: readonly Value[]])[]): Promise<RawRow[]>
  /** Runs `work` as one durable transaction, and again after a conflict; when it throws, nothing is written. */
  write<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): void
}

/** Attempts of a transaction that conflicts with others. */
const maxAttempts = 5

export async function openDatabase(settings: Settings): Promise<Database> {
  const { parameters, local, prepare, citus } = await negotiateSession(settings)
  const open = (connect_timeout: number) => connect({ ...settings, connect_timeout, prepare }, parameters)
  const pool = createPool(open, settings.pool, settings.connect_timeout)

  return {
    citus,
    query: <Row>(sql: string, values: readonly Value[] = []) =>
      guarded(() =>
        pool.use(async connection => {
          if (local === '') return connection.query<Row>(sql, values)
          const [rows] = await batch(connection, `begin${local}`, () => [connection.query<Row>(sql, values)])
          return rows as Rows<Row>
        }),
      ),
    planned: <Row>(sql: string, values: readonly Value[] = []) =>
      guarded(() =>
        pool.use(async connection => {
          const [rows] = await batch(connection, `begin${local}${forItsValues}`, () => [
            connection.query<Row>(sql, values),
          ])
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
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw translate(error)
    }
    // Jitter, so that two transactions do not collide again and again.
    await sleep(10 * attempt * Math.random())
  }
}
