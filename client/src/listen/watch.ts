import type { Client } from '../client.ts'
import { isTillgateError } from '../errors.ts'
import { createHeads } from '../mirror/heads.ts'

/** Which stores change, as the server's webhooks tell it: the newest seq of each, and the feed it belongs to. */

export interface StoreChange {
  store_id: bigint
  seq: number
  feed: string
}

export interface WatchOptions {
  client: Client
  signal: AbortSignal
  /** From here on changes are seen. */
  onReady: (stores: number) => void
  onChange: (change: StoreChange) => void
}

export async function watchStores({ client, signal, onReady, onChange }: WatchOptions): Promise<void> {
  const heads = createHeads(client)
  /** Null when the access to the store has ended meanwhile. */
  const feedOf = async (storeId: bigint): Promise<string | null> => {
    try {
      for await (const { feed } of client.changes({ storeId, count: 1, signal }).pages()) return feed
    } catch (error) {
      if (!isTillgateError(error, 'store_forbidden') && !isTillgateError(error, 'store_not_found'))
        throw error
    }
    return null
  }

  // What is there already is no change: read it by `changes`.
  const known = new Map((await heads.read(0, signal))?.map(({ store_id, seq }) => [store_id, seq]))
  const [any] = known.keys()
  let feed = any === undefined ? null : await feedOf(any)
  onReady(known.size)
  for (;;) {
    const all = await heads.read(30, signal)
    for (const { store_id, seq } of all ?? []) {
      const isNew = !known.has(store_id)
      if (known.get(store_id) === seq) continue
      known.set(store_id, seq)
      // A newly granted store begins at its current seq.
      const current = isNew ? null : await feedOf(store_id)
      if (current !== null) onChange({ store_id, seq, feed: current })
    }
    for (const store_id of known.keys()) {
      if (all?.every(each => each.store_id !== store_id)) known.delete(store_id)
    }
    // A new feed moves no head, and makes every store due.
    const [first] = known.keys()
    const current = first === undefined ? null : await feedOf(first)
    if (current !== null && feed !== null && current !== feed) {
      for (const [store_id, seq] of known) onChange({ store_id, seq, feed: current })
    }
    feed = current ?? feed
  }
}
