import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fold } from '../../../lib/fold.ts'
import { createLimiter } from '../../../lib/limiter.ts'
import { isInt64, readInteger } from '../../shared/integers.ts'
import { isBusy, translate } from './errors.ts'
import { configure } from './pragmas.ts'

interface Statement<Row> {
  get(...values: SQLInputValue[]): Row | undefined
  all(...values: SQLInputValue[]): Row[]
  run(...values: SQLInputValue[]): { changes: number | bigint }
}

export interface Database {
  readonly connection: DatabaseSync
  /**
   * `bigint` when the row has an int64 column (shared/tables.ts); its other integers are numbers all the same. `tuples`
   * for rows as arrays, twice as fast as objects; with `bigint`, all of a tuple's integers are bigints.
   */
  prepare<Row>(sql: string, integers?: 'number' | 'bigint', rows?: 'objects' | 'tuples'): Statement<Row>
  /** Runs `work` without a snapshot, for a single query: a snapshot costs as much as a small query. */
  query<T>(work: () => T): Promise<T>
  /** Runs `work`, which may be several queries, on one snapshot of the database. */
  snapshot<T>(work: () => T): Promise<T>
  /** Runs `work` as one durable transaction; nothing is written when it throws. */
  write<T>(work: () => T): Promise<T>
}

export interface DatabaseOptions {
  /** How long a request waits for the writes of other processes, in milliseconds. */
  busy_timeout?: number
}

export const inMemory = ':memory:'

/**
 * One connection, shared by all requests of the process. So `work` is strictly synchronous: if it returned to the event
 * loop inside a transaction, another request could write into that transaction.
 */
export async function openDatabase(file: string, options: DatabaseOptions = {}): Promise<Database> {
  const { busy_timeout = 5000 } = options
  const deadline = () => performance.now() + busy_timeout
  if (file !== inMemory) createFile(file)
  // SQLite's own busy_timeout would block the event loop; `retry` waits with timers.
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    await retry(() => configure(connection), deadline())
  } catch (error) {
    connection.close()
    throw error
  }
  connection.function('fold', { deterministic: true }, text => (text === null ? null : fold(String(text))))
  const beginRead = connection.prepare('begin')
  const beginWrite = connection.prepare('begin immediate')
  const commit = connection.prepare('commit')

  function transact<T>(work: () => T): T {
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      // A full disk or an I/O error has rolled back by itself.
      if (connection.isOpen && connection.isTransaction) connection.exec('rollback')
      throw error
    }
  }

  /** Of the writes that wait for another process only the first retries: all of them would keep the event loop busy. */
  const writes = createLimiter({ concurrency: 1 })

  return {
    connection,
    prepare: (sql, integers = 'number', rows = 'objects') => prepare(connection, sql, integers, rows),
    query: work => retry(work, deadline()),
    // Repeats all of it: a read finds the database busy only while another process recovers or closes it.
    snapshot: work =>
      retry(() => {
        beginRead.run()
        return transact(work)
      }, deadline()),
    write(work) {
      const until = deadline()
      return writes.run(() =>
        retry(() => {
          beginWrite.run()
          try {
            return transact(work)
          } catch (error) {
            // Only BEGIN waits for the lock: `work` runs once, and its error or that of the commit is final.
            throw translate(error)
          }
        }, until),
      )
    },
  }
}

function prepare<Row>(
  connection: DatabaseSync,
  sql: string,
  integers: 'number' | 'bigint',
  rows: 'objects' | 'tuples',
): Statement<Row> {
  const statement = connection.prepare(sql)
  statement.setReadBigInts(integers === 'bigint')
  statement.setReturnArrays(rows === 'tuples')
  const columns = statement.columns().map(({ name }) => name)
  if (rows === 'tuples' || columns.length === 0) return statement as unknown as Statement<Row>
  const narrowed = integers === 'bigint' ? columns.filter(name => !isInt64(name)) : []
  // A copy: node:sqlite returns rows without a prototype, and the port returns ordinary objects.
  const toRow = (found: Record<string, unknown>): Row => {
    const row = { ...found }
    for (const name of narrowed) if (typeof row[name] === 'bigint') row[name] = readInteger(row[name], name)
    return row as Row
  }
  return {
    get(...values) {
      const row = statement.get(...values)
      return row && toRow(row)
    },
    all: (...values) => statement.all(...values).map(toRow),
    run: (...values) => statement.run(...values),
  }
}

/** Repeats `step` while another process holds what it needs. The first try is made at once, before this returns. */
async function retry<T>(step: () => T, deadline: number): Promise<T> {
  for (let wait = 1; ; wait = Math.min(wait * 2, 16)) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw translate(error)
    }
    // Jitter, so that two waiting processes do not collide again and again.
    await sleep(wait * (0.5 + Math.random()))
  }
}

/**
 * Creates a missing file, readable by its owner only: it holds secrets and sales. SQLite gives the -wal and -shm files the
 * same mode. An existing one is not opened: closing it would end all locks that the process has on it, those of SQLite's
 * other connections too (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
export function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  // Of a link, this is about the file that it leads to.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}
