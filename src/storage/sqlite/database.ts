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
  // SQLite's own wait blocks the event loop, so it only bridges another process's quick commit; timers do the rest.
  const connection = new DatabaseSync(file, { timeout: 5 })
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
      patiently(() => {
        beginWrite.run()
        try {
          return transact(work)
        } catch (error) {
          throw translate(error)
        }
      }, patience_ms),
  }
}

/** Repeats `step` while another process holds what it needs. The first try is made at once, in the caller's turn. */
function patiently<T>(step: () => T, patience_ms: number): Promise<T> {
  try {
    return Promise.resolve(step())
  } catch (error) {
    return isBusy(error) ? retry(step, patience_ms, error) : Promise.reject(translate(error))
  }
}

async function retry<T>(step: () => T, patience_ms: number, first: unknown): Promise<T> {
  const deadline = performance.now() + patience_ms
  let failure = first
  for (let wait = 1; isBusy(failure) && performance.now() < deadline; wait = Math.min(wait * 2, 20)) {
    // The random part keeps two waiting processes from meeting again and again.
    await sleep(wait * (0.5 + Math.random()))
    try {
      return step()
    } catch (error) {
      failure = error
    }
  }
  throw translate(failure)
}

/** For its owner only: it holds secrets and sales. SQLite gives the -wal and -shm files the same mode. */
export function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  closeSync(openSync(file, 'a', 0o600))
}

/** Rows come without a prototype; what leaves the engine is an ordinary object. */
export const plain = <Row>(row: Row | undefined): Row | null => (row === undefined ? null : { ...row })
