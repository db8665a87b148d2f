import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
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
   * `bigint` where an integer of the row may lie beyond 2^53; `tuples` for rows as arrays, which are made and read
   * twice as fast as objects.
   */
  prepare<Row>(sql: string, integers?: 'number' | 'bigint', rows?: 'objects' | 'tuples'): Statement<Row>
  /** Runs `work` on one snapshot of the database. */
  read<T>(work: () => T): Promise<T>
  /** Runs `work` without a snapshot, which costs as much as a small query: for one that asks once. */
  look<T>(work: () => T): Promise<T>
  /** Runs `work` as one durable transaction; nothing is written when it throws. */
  write<T>(work: () => T): Promise<T>
}

export interface DatabaseOptions {
  /** How long a request waits for the writes of other processes. */
  patience_ms?: number
}

export const inMemory = ':memory:'

/**
 * One connection, shared by all requests of the process. That is why `work` is strictly synchronous: a turn of the
 * event loop inside a transaction would let another request write into it.
 */
export async function openDatabase(file: string, options: DatabaseOptions = {}): Promise<Database> {
  const patience_ms = options.patience_ms ?? 5000
  if (file !== inMemory) createFile(file)
  // SQLite's own wait would block the event loop; timers do it.
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    await patiently(() => configure(connection), patience_ms)
  } catch (error) {
    connection.close()
    throw error
  }
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

  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  /** Writes wait for another process's in a queue, of which the first one tries: many that try would keep the loop busy. */
  function inTurn<T>(step: () => T): Promise<T> {
    if (waiting === 0) {
      try {
        return Promise.resolve(step())
      } catch (error) {
        if (!isBusy(error)) return Promise.reject(translate(error))
      }
    }
    const deadline = performance.now() + patience_ms
    waiting++
    const turn = last.then(() => retry(step, deadline)).finally(() => waiting--)
    last = turn.catch(() => {})
    return turn
  }

  return {
    connection,
    prepare: <Row>(
      sql: string,
      integers: 'number' | 'bigint' = 'number',
      rows: 'objects' | 'tuples' = 'objects',
    ) => {
      const statement = connection.prepare(sql)
      statement.setReadBigInts(integers === 'bigint')
      statement.setReturnArrays(rows === 'tuples')
      return statement as unknown as Statement<Row>
    },
    // Repeated whole: a read finds the database busy only while another process recovers or closes it.
    read: work =>
      patiently(() => {
        beginRead.run()
        return transact(work)
      }, patience_ms),
    look: work => patiently(work, patience_ms),
    // Waits for the lock only: `work` runs once, so what goes wrong in it or in its commit is final.
    write: work =>
      inTurn(() => {
        beginWrite.run()
        try {
          return transact(work)
        } catch (error) {
          throw translate(error)
        }
      }),
  }
}

/** Repeats `step` while another process holds what it needs. The first try is made at once, in the caller's turn. */
function patiently<T>(step: () => T, patience_ms: number): Promise<T> {
  try {
    return Promise.resolve(step())
  } catch (error) {
    return isBusy(error) ? retry(step, performance.now() + patience_ms) : Promise.reject(translate(error))
  }
}

async function retry<T>(step: () => T, deadline: number): Promise<T> {
  for (let wait = 1; ; wait = Math.min(wait * 2, 16)) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw translate(error)
    }
    // The random part keeps two waiting processes from meeting again and again.
    await sleep(wait * (0.5 + Math.random()))
  }
}

/** For its owner only: it holds secrets and sales. SQLite gives the -wal and -shm files the same mode. */
export function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  closeSync(openSync(file, 'a', 0o600))
}

/** Rows come without a prototype; what leaves the engine is an ordinary object. */
export const plain = <Row>(row: Row | undefined): Row | null => (row === undefined ? null : { ...row })
