import type { DatabaseSync } from 'node:sqlite'
import { type Client, isTillgateError, type Order, parseExact, stringifyExact } from 'tillgate-client'
import { transaction } from './database.ts'

/** The copy of the orders of every store that the app may read, kept current by `changes`. */

export interface Copy {
  /** Reads what is new of a store. Calls that come while it reads make it read once more. */
  sync(storeId: string): Promise<void>
  /** Reads every store that the app may read, and deletes the others. */
  syncAll(): Promise<void>
  /** Whether the first walk of a store has come to its end. */
  isRead(storeId: string): boolean
  /** Orders by `created_at` (UTC), both ends included, the newest first. */
  orders(storeId: string, from: string, to: string): Order[]
  newest(storeId: string): string | null
  close(): void
}

const retryAfter = 5000

export function createCopy(db: DatabaseSync, app: Client, changed: (storeId: string) => void): Copy {
  const position = db.prepare('select feed, next from positions where store_id = ?')
  const setPosition = db.prepare(
    'insert into positions (store_id, feed, next) values (?, ?, ?) on conflict do update set feed = excluded.feed, next = excluded.next',
  )
  const put = db.prepare(
    'insert into orders (store_id, id, created_at, data) values (?, ?, ?, ?) on conflict do update set created_at = excluded.created_at, data = excluded.data',
  )
  const select = db.prepare(
    'select data from orders where store_id = ? and created_at between ? and ? order by created_at desc, id desc',
  )
  const newest = db.prepare('select max(created_at) as newest from orders where store_id = ?')
  const known = db.prepare('select store_id from positions')
  const dropOrders = db.prepare('delete from orders where store_id = ?')
  const dropPosition = db.prepare('delete from positions where store_id = ?')

  const stopping = new AbortController()
  const { signal } = stopping
  const reading = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const complete = new Set<string>()

  const positionOf = (storeId: string): { feed: string; next: number } | null => {
    const row = position.get(storeId)
    return row ? { feed: String(row['feed']), next: Number(row['next']) } : null
  }

  function forget(storeId: string): void {
    transaction(db, () => {
      dropOrders.run(storeId)
      dropPosition.run(storeId)
    })
    complete.delete(storeId)
    changed(storeId)
  }

  /** One walk over the pages of changes: the first copy and every later update are the same loop. */
  async function read(storeId: string): Promise<void> {
    const held = positionOf(storeId)
    const from = held ? { after: held.next, feed: held.feed } : {}
    for await (const page of app.changes({ storeId, kinds: ['order'], signal, ...from }).pages()) {
      // Data and position together: whatever happens, the copy goes on from where it is.
      transaction(db, () => {
        for (const { kind, id, data } of page.changes) {
          if (kind === 'order') put.run(storeId, id, data.created_at, stringifyExact(data))
        }
        setPosition.run(storeId, page.feed, page.next)
      })
      if (page.changes.length > 0) changed(storeId)
    }
    const isFirst = !complete.has(storeId)
    complete.add(storeId)
    if (isFirst) changed(storeId)
  }

  async function readUntilCurrent(storeId: string): Promise<void> {
    do {
      again.delete(storeId)
      try {
        await read(storeId)
      } catch (error) {
        if (signal.aborted) return
        // The server's history has changed: the copy may hold what the server has not, so it begins anew.
        if (isTillgateError(error, 'feed_changed')) {
          forget(storeId)
          again.add(storeId)
        } else if (isTillgateError(error, 'store_forbidden') || isTillgateError(error, 'store_not_found')) {
          forget(storeId)
        } else {
          console.error(`store ${storeId} could not be read; trying again: ${String(error)}`)
          setTimeout(() => void sync(storeId), retryAfter).unref()
        }
      }
    } while (again.has(storeId))
  }

  function sync(storeId: string): Promise<void> {
    const running = reading.get(storeId)
    if (running) {
      again.add(storeId)
      return running
    }
    const started = readUntilCurrent(storeId).finally(() => reading.delete(storeId))
    reading.set(storeId, started)
    return started
  }

  return {
    sync,
    async syncAll() {
      const allowed = new Set<string>()
      for await (const { id } of app.stores({ signal })) allowed.add(String(id))
      for (const { store_id } of known.all()) if (!allowed.has(String(store_id))) forget(String(store_id))
      for (const storeId of allowed) await sync(storeId)
    },
    isRead: storeId => complete.has(storeId),
    orders: (storeId, from, to) =>
      select.all(storeId, from, to).map(({ data }) => parseExact(String(data)) as Order),
    newest: storeId => (newest.get(storeId)?.['newest'] as string | null) ?? null,
    close: () => stopping.abort(),
  }
}
