import { StorageUnavailable } from '../../port/index.ts'
import type { Connection } from './connection.ts'

export interface Pool {
  /** Lends a connection for the time of `work`. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** What is under way fails. */
  close(): void
}

interface Waiter {
  give(connection: Connection): void
  fail(error: unknown): void
}

/** A session is given up after this time, so that nodes spread anew over a changed set of servers. */
const lifetime = 30 * 60_000

/**
 * A connection belongs to one borrower at a time: a transaction is its own, and a slow statement delays no other. No
 * one waits longer than `patience_ms`: in an overload it is better to be told so than to be late.
 */
export function createPool(open: () => Promise<Connection>, size: number, patience_ms: number): Pool {
  const idle: Connection[] = []
  const all = new Set<Connection>()
  const waiters = new Set<Waiter>()
  let opening = 0
  let closed = false

  async function start(): Promise<Connection> {
    opening += 1
    try {
      const connection = await open()
      if (closed) {
        connection.destroy()
        throw new StorageUnavailable('the database is closed')
      }
      all.add(connection)
      connection.onLost(() => forget(connection))
      return connection
    } finally {
      opening -= 1
    }
  }

  function forget(connection: Connection): void {
    all.delete(connection)
    const at = idle.indexOf(connection)
    if (at >= 0) idle.splice(at, 1)
    serveNext()
  }

  /** A place has become free: a new connection goes to whoever waits longest. */
  function serveNext(): void {
    if (closed || waiters.size === 0 || all.size + opening >= size) return
    start().then(giveBack, error => {
      nextWaiter()?.fail(error)
      serveNext()
    })
  }

  function nextWaiter(): Waiter | undefined {
    const [waiter] = waiters
    if (waiter) waiters.delete(waiter)
    return waiter
  }

  function borrow(): Connection | Promise<Connection> {
    if (closed) throw new StorageUnavailable('the database is closed')
    // The one used last: the server has its plans and pages at hand.
    const connection = idle.pop()
    if (connection) return connection
    if (all.size + opening < size) {
      return start().catch(error => {
        serveNext()
        throw error
      })
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiters.delete(waiter)
        reject(
          new StorageUnavailable(`all ${size} connections to the database were busy for ${patience_ms} ms`),
        )
      }, patience_ms)
      const settle =
        <Given>(done: (given: Given) => void) =>
        (given: Given) => {
          clearTimeout(timer)
          done(given)
        }
      const waiter: Waiter = { give: settle(resolve), fail: settle(reject) }
      waiters.add(waiter)
    })
  }

  function giveBack(connection: Connection): void {
    if (connection.lost) return
    if (closed || performance.now() - connection.born > lifetime) return connection.destroy()
    const waiter = nextWaiter()
    if (waiter) waiter.give(connection)
    else idle.push(connection)
  }

  return {
    async use(work) {
      const connection = await borrow()
      try {
        return await work(connection)
      } finally {
        giveBack(connection)
      }
    },
    close() {
      closed = true
      for (const waiter of waiters) waiter.fail(new StorageUnavailable('the database is closed'))
      waiters.clear()
      for (const connection of all) connection.destroy()
    },
  }
}
