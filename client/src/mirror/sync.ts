import type { Client } from '../client.ts'
import { isTillgateError } from '../errors.ts'
import { stuck } from '../lists.ts'
import type { ChangeKind } from '../types.ts'
import type { Copy, Page } from './copy.ts'
import { readPage } from './page.ts'

/** Brings a copy up to date: all stores, some at a time, each by its own loop over `changes`. */

export interface SyncOptions {
  client: Client
  copy: Copy
  signal: AbortSignal
  /** Stores that are read at the same time. */
  parallel: number
  /** Entries of a page. */
  count: number
  /** Asks for answers without compression: faster than any network on the same machine. */
  isLocal?: boolean
  /** Called when the list of stores has been read. */
  onStores?: () => Promise<void>
  onPage?: (store_id: bigint, page: Page, stored: number) => void
}

export interface Sync {
  /** Reads the list of stores anew. */
  stores(): Promise<void>
  /** Reads these stores to their end, or to the seq `until`. True when one of them had to begin again. */
  changes(store_ids: readonly bigint[], until?: number): Promise<boolean>
  /** What the copy holds of a store and the app may no longer read. */
  unreadable(store_id: bigint): readonly ChangeKind[]
}

/** Named in every request: the feed of a copy that gets a kind back does not cover it, so it is read again. */
async function kindsOf(client: Client, signal: AbortSignal): Promise<ChangeKind[]> {
  const scopes = (await client.token({ signal })).scope.split(' ')
  const kinds: ChangeKind[] = []
  if (scopes.includes('integration.order')) kinds.push('order')
  if (scopes.includes('integration.inventory')) kinds.push('item')
  if (kinds.length > 0) return kinds
  throw new Error('the app has neither of the scopes integration.order and integration.inventory')
}

export function createSync(options: SyncOptions): Sync {
  const { client, copy, signal, parallel, count, isLocal, onStores, onPage } = options
  const headers: Record<string, string> = isLocal ? { 'accept-encoding': 'identity' } : {}

  const unreadable = new Map<bigint, ChangeKind[]>()

  async function ofStore(store_id: bigint, until?: number): Promise<boolean> {
    let kinds: string | undefined = (await kindsOf(client, signal)).join()
    for (let restarted = false; ; ) {
      const from = copy.position(store_id)
      if (until !== undefined && from.next >= until) return restarted
      const query = { store_id, after: from.next, feed: from.feed ?? undefined, kinds, count }
      try {
        const { data } = await client.request({
          path: '/integration/v1/changes',
          query,
          headers,
          signal,
          parse: readPage,
        })
        const page = data as Page
        if (page.more && page.next <= from.next) throw stuck(`seq ${from.next}`)
        const stored = copy.apply(store_id, from, page, until)
        // Another process was faster: go on from its position.
        if (stored === null) continue
        unreadable.set(
          store_id,
          from.kinds.filter(kind => !page.kinds.includes(kind)),
        )
        onPage?.(store_id, page, stored)
        if (!page.more) return restarted
      } catch (error) {
        if (isTillgateError(error, 'feed_changed') && from.feed !== null) {
          copy.restart(store_id, from)
          restarted = true
        } else if (kinds !== undefined && isForbidden(error)) {
          // The app, or its access to this store, may lack a scope that the token names: what is allowed goes on.
          kinds = undefined
        } else if (isTillgateError(error, 'store_forbidden') || isTillgateError(error, 'store_not_found')) {
          copy.remove(store_id)
          return restarted
        } else throw error
      }
    }
  }

  return {
    async stores() {
      copy.saveStores(await collect(client.stores({ signal })))
      await onStores?.()
    },
    async changes(store_ids, until) {
      const queue = [...store_ids]
      let restarted = false
      const worker = async () => {
        for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
          if (await ofStore(id, until)) restarted = true
        }
      }
      const workers = await Promise.allSettled(
        Array.from({ length: Math.min(parallel, queue.length) }, worker),
      )
      for (const each of workers) if (each.status === 'rejected') throw each.reason
      return restarted
    },
    unreadable: store_id => unreadable.get(store_id) ?? [],
  }
}

const isForbidden = (error: unknown): boolean =>
  isTillgateError(error, 'store_forbidden') || isTillgateError(error, 'scope_insufficient')

/** Array.fromAsync, which Node 20 lacks. */
async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of list) all.push(each)
  return all
}
