import { createLimiter } from '../../../lib/limiter.ts'
import { StorageUnavailable } from '../../port/index.ts'
import type { Connection } from './connection.ts'
import { isReadOnly } from './errors.ts'
import { watchLiveness } from './liveness.ts'

export interface Pool {
  /** Lends a connection for the time of `work`. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Statements that are running fail. */
  close(): void
}

/** A session ends after this time, so that the nodes spread over a changed set of servers. */
const lifetime = 30 * 60_000

/**
 * A connection belongs to one borrower at a time: a transaction is its own, and a slow statement delays no other. A
 * borrower waits at most `timeout` milliseconds for a connection: an early 503 is better than a late answer. While the
 * server does not answer at all, every borrower fails at once.
 */
export function createPool(
  open: (timeout: number) => Promise<Connection>,
  size: number,
  timeout: number,
): Pool {
  const limiter = createLimiter({
    concurrency: size,
    maxWait: timeout,
    refuse: () =>
      new StorageUnavailable(`all ${size} connections to the database were busy for ${timeout} ms`),
  })
  const all = new Set<Connection>()
  const idle: Connection[] = []
  /** Borrowers that wait for a new connection. */
  const opening = new Set<Opening>()
  let answeredAt = 0
  /** Why every borrower fails now. */
  let failure: StorageUnavailable | null = null
  let closed = false

  async function start(timeLeft: number): Promise<Connection> {
    const connection = await open(timeLeft)
    if (closed) {
      connection.destroy()
      throw failure
    }
    all.add(connection)
    answeredAt = performance.now()
    connection.onLost(() => {
      all.delete(connection)
      answeredAt = Math.max(answeredAt, connection.answeredAt)
      const at = idle.indexOf(connection)
      if (at >= 0) idle.splice(at, 1)
    })
    return connection
  }

  /** A new connection; one that opens after the borrower has failed is the pool's. */
  function borrowNew(timeLeft: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const borrower: Opening = { since: performance.now(), fail: reject }
      opening.add(borrower)
      start(timeLeft).then(
        connection => (opening.delete(borrower) ? resolve(connection) : giveBack(connection)),
        error => {
          opening.delete(borrower)
          reject(error)
        },
      )
    })
  }

  function giveBack(connection: Connection): void {
    if (connection.lost) return
    if (performance.now() - connection.openedAt > lifetime) connection.destroy()
    else idle.push(connection)
  }

  function failAll(reason: StorageUnavailable): void {
    failure = reason
    limiter.rejectWaiting(reason)
    for (const { fail } of opening) fail(reason)
    opening.clear()
    for (const connection of all) if (closed || !connection.unlimited) connection.destroy()
  }

  const stopWatching = watchLiveness({
    waitingSince: () => {
      const waits = [...all].map(({ waitingSince }) => waitingSince).filter(since => since !== null)
      for (const { since } of opening) waits.push(since)
      return waits.length === 0 ? null : Math.min(...waits)
    },
    answeredAt: () => Math.max(answeredAt, ...[...all].map(connection => connection.answeredAt)),
    // Longer where connections are known to take longer.
    probeTimeout: Math.min(timeout, Math.max(1000, timeout / 3)),
    async open(limit) {
      const connection = await start(limit)
      if (all.size > size) connection.destroy()
      else giveBack(connection)
      return connection
    },
    down: () => failAll(new StorageUnavailable('the database does not answer')),
    up: () => {
      if (!closed) failure = null
    },
  })

  return {
    async use(work) {
      if (failure) throw failure
      const asked = performance.now()
      return limiter.run(async () => {
        // At least 1 ms: the driver takes 0 for no timeout.
        const timeLeft = Math.max(1, Math.ceil(timeout - (performance.now() - asked)))
        // The one used last: the server has its plans and pages at hand.
        const connection = idle.pop() ?? (await borrowNew(timeLeft))
        try {
          return await work(connection)
        } catch (error) {
          // A session that began read-only stays so, also when the server can be written again.
          if (isReadOnly(error)) connection.destroy()
          throw error
        } finally {
          giveBack(connection)
        }
      })
    },
    close() {
      closed = true
      stopWatching()
      const reason = new StorageUnavailable('the database is closed')
      failAll(reason)
      limiter.abort(reason)
    },
  }
}

interface Opening {
  since: number
  fail(error: Error): void
}
