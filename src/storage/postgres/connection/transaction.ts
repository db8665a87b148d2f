import { StorageUnavailable } from '../../port/index.ts'
import type { Connection, Rows } from './connection.ts'
import { codeOf } from './errors.ts'
import type { Value } from './values.ts'

export interface Transaction {
  query<Row>(sql: string, values?: readonly Value[]): Promise<Rows<Row>>
  /** Sends a statement without waiting for its result; if it fails, the transaction fails. */
  send(sql: string, values?: readonly Value[]): void
  /** Statements without values. */
  script(sql: string): Promise<unknown>
}

export interface TransactionOptions {
  /** The first statements of `work` go out with BEGIN, in one round trip. They must not write, because BEGIN may fail. */
  pipelined?: boolean
  /** Without a statement timeout. */
  unlimited?: boolean
  /** Its statements are planned for their values and for the tables as they are, not once for all. */
  planned?: boolean
}

/** Appended to BEGIN. */
export const forItsValues = '; set local plan_cache_mode = force_custom_plan'

export async function transact<T>(
  connection: Connection,
  begin: string,
  work: (transaction: Transaction) => Promise<T>,
  { pipelined = false, unlimited = false, planned = false }: TransactionOptions = {},
): Promise<T> {
  if (unlimited) {
    const beginUnlimited = `${begin}; set local statement_timeout = 0`
    return connection.withoutTimeout(() => transact(connection, beginUnlimited, work, { pipelined, planned }))
  }
  const sent: Promise<unknown>[] = []
  const track = <P extends Promise<unknown>>(promise: P): P => {
    // Without the result: the rows of a long transaction would all stay in memory. A failure is handled below.
    const outcome = promise.then(() => {})
    outcome.catch(() => {})
    sent.push(outcome)
    return promise
  }
  const begun = track(connection.script(planned ? `${begin}${forItsValues}` : begin))
  try {
    if (!pipelined) await begun
    const result = await work({
      query: (sql, values) => track(connection.query(sql, values)),
      script: sql => track(connection.script(sql)),
      send: (sql, values) => void track(connection.query(sql, values)),
    })
    // COMMIT goes out with the last statements. After a failed one the server rolls back and answers ROLLBACK to it.
    const committed = track(connection.script('commit'))
    await Promise.all(sent)
    const { command } = await committed
    if (command !== 'COMMIT') throw new StorageUnavailable(`the database answered ${command} to COMMIT`)
    return result
  } catch (error) {
    const settled = await Promise.allSettled(sent)
    // If the rollback fails too, the state of the connection is unknown.
    if (!connection.lost) await connection.script('rollback').catch(() => connection.destroy())
    throw rootCause(error, settled)
  }
}

/** Runs reads in one transaction and one round trip. */
export async function batch<T>(
  connection: Connection,
  begin: string,
  send: () => Promise<T>[],
): Promise<T[]> {
  const begun = connection.script(begin)
  const results = send()
  const ended = connection.script('commit')
  const all = await Promise.allSettled([begun, ...results, ended])
  for (const each of all) if (each.status === 'rejected') throw each.reason
  return Promise.all(results)
}

/** The error of a statement after a failed one only says that the transaction is aborted. */
function rootCause(error: unknown, sent: readonly PromiseSettledResult<unknown>[]): unknown {
  if (codeOf(error) !== '25P02') return error
  return sent.find(each => each.status === 'rejected')?.reason ?? error
}
