import { StorageUnavailable } from '../../port/index.ts'
import type { Connection, Rows } from './connection.ts'
import { codeOf } from './errors.ts'
import type { Value } from './values.ts'

export interface Transaction {
  query<Row>(sql: string, values?: readonly Value[]): Promise<Rows<Row>>
  /** Sends a statement whose answer no one waits for; if it fails, so does the transaction. */
  send(sql: string, values?: readonly Value[]): void
  /** Statements without values. */
  script(sql: string): Promise<unknown>
}

export interface TransactionOptions {
  /** `work` begins at once: its first statements travel with BEGIN. They must not write, for BEGIN may yet fail. */
  ahead?: boolean
  /** No time limit. */
  patient?: boolean
}

export async function transact<T>(
  connection: Connection,
  begin: string,
  work: (transaction: Transaction) => Promise<T>,
  { ahead = false, patient = false }: TransactionOptions = {},
): Promise<T> {
  if (patient) {
    const unlimited = `${begin}; set local statement_timeout = 0`
    return connection.patiently(() => transact(connection, unlimited, work))
  }
  const sent: Promise<unknown>[] = []
  const track = <P extends Promise<unknown>>(promise: P): P => {
    promise.catch(() => {}) // looked at below
    sent.push(promise)
    return promise
  }
  const begun = track(connection.script(begin))
  try {
    if (!ahead) await begun
    const result = await work({
      query: (sql, values) => track(connection.query(sql, values)),
      script: sql => track(connection.script(sql)),
      send: (sql, values) => void track(connection.query(sql, values)),
    })
    // Sent along with the last statements. After a failed one it rolls back, and says so only by its name.
    const committed = track(connection.script('commit'))
    await Promise.all(sent)
    const { command } = await committed
    if (command !== 'COMMIT') throw new StorageUnavailable(`the database answered ${command} to COMMIT`)
    return result
  } catch (error) {
    const settled = await Promise.allSettled(sent)
    // When even this fails, the connection is in an unknown state.
    if (!connection.lost) await connection.script('rollback').catch(() => connection.destroy())
    throw rootCause(error, settled)
  }
}

/** Reads in one transaction and one round trip. */
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

/** A statement behind a failed one only says that the transaction is aborted. */
function rootCause(error: unknown, sent: readonly PromiseSettledResult<unknown>[]): unknown {
  if (codeOf(error) !== '25P02') return error
  return sent.find(each => each.status === 'rejected')?.reason ?? error
}
