import type { ChangeKind, Store } from '../types.ts'

/** How far the copy of a store goes. `walk` counts the walks from 0: entries of an older one go when a walk ends. */
export interface Position {
  feed: string | null
  next: number
  walk: number
  /** Whether the walk has reached its end once. */
  complete: boolean
  /** What the copy holds of the store, also when it may no longer be read. */
  kinds: readonly ChangeKind[]
}

/** An entry of a page; `id` and `data` are the JSON text that the server sent. */
export interface RawChange {
  kind: ChangeKind
  seq: number
  id: string
  data: string
}

export interface Page {
  feed: string
  next: number
  more: boolean
  kinds: readonly ChangeKind[]
  changes: RawChange[]
}

interface Counts {
  stores: number
  orders: number
  items: number
}

/** A place that holds stores, their entries and positions. Each write is one transaction. */
export interface Copy {
  /** Stores these stores; those that it has and that are not among them are marked as removed. */
  saveStores(stores: readonly Store[]): void
  /** The access to a store has ended: its entries stay, it is no longer followed. */
  remove(store_id: bigint): void
  /** Stores that are not removed. */
  storeIds(): bigint[]
  position(store_id: bigint): Position
  /**
   * Stores the entries of a page, up to the seq `until`, and with them the new position. Returns their number, or null
   * when the position is no longer `from`, because another process moved it: then nothing is stored.
   */
  apply(store_id: bigint, from: Position, page: Page, until?: number): number | null
  /** Begins a new walk from 0. */
  restart(store_id: bigint, from: Position): void
  counts(): Counts
  close(): void
}

/** The position behind a page. */
export function positionAfter(from: Position, page: Page, until = Infinity): Position {
  const { feed, next, more } = page
  const isCut = next > until
  return {
    feed,
    next: isCut ? until : next,
    walk: from.walk,
    complete: from.complete || (!more && !isCut),
    kinds: [...new Set([...from.kinds, ...page.kinds])],
  }
}
