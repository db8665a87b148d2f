import { createLimiter } from '../../../lib/limiter.ts'
import { StorageUnavailable } from '../../port/index.ts'
import type { Connection } from './connection.ts'

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
 * borrower waits at most `timeout` milliseconds for a connection: an early 503 is better than a late answer.
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
  let closed: StorageUnavailable | null = null

  async function start(timeLeft: number): Promise<Connection> {
    const connection = await open(timeLeft)
    if (closed) {
      connection.destroy()
      throw closed
    }
    all.add(connection)
    connection.onLost(() => {
      all.delete(connection)
      const at = idle.indexOf(connection)
      if (at >= 0) idle.splice(at, 1)
    })
    return connection
  }

  function giveBack(connection: Connection): void {
    if (connection.lost) return
    if (performance.now() - connection.openedAt > lifetime) connection.destroy()
    else idle.push(connection)
  }

  return {
    use(work) {
      const asked = performance.now()
      return limiter.run(async () => {
        // At least 1 ms: the driver takes 0 for no timeout.
        const timeLeft = Math.max(1, Math.ceil(timeout - (performance.now() - asked)))
        // The one used last: the server has its plans and pages at hand.
        const connection = idle.pop() ?? (await start(timeLeft))
        try {
          return await work(connection)
        } finally {
          giveBack(connection)
        }
      })
    },
    close() {
      closed = new StorageUnavailable('the database is closed')
      limiter.abort(closed)
      for (const connection of all) connection.destroy()
    },
  }
}
