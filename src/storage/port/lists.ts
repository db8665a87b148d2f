import type { Seconds } from '../../lib/clock.ts'
import type { AccessClaim, AccessFacts } from './authorizations.ts'

/**
 * Part of a page: the stored JSON of its entries, joined by commas, as bytes. `next` reads on behind the last entry;
 * null when nothing follows, or nothing that belongs to the page.
 */
export interface Chunk {
  bytes: Uint8Array
  rows: number
  next: Cursor | null
  /** Of the same moment, when it was read on by a claim. Nothing is read that they do not allow. */
  facts?: AccessFacts
}

/** Opaque above the engine: where the entries stand that come next. */
export type Cursor = readonly (bigint | number | string)[]

/**
 * The answer to a first read: the facts of the same moment, and the chunk unless `unless_version` was still current.
 * The page begins `offset` entries into its list; `limit` entries are read of the `total` that belong to it, or of all
 * that follow when that is left out. `more` reads on behind a cursor, whatever happened to the list in between.
 */
export interface Read {
  facts: AccessFacts
  chunk: Chunk | null
}

export type OrderField = 'created_at' | 'updated_at' | 'paid_at'

export interface OrderQuery {
  store_id: bigint
  field: OrderField
  /** Both ends belong to the window. */
  from: Seconds
  to: Seconds
}

export interface ItemQuery {
  store_id: bigint
  /** Strictly after. When null, all items by id; else by updated_at, then id. */
  updated_after: Seconds | null
}

export interface Stores {
  /** The facts behind a claim, with those of a store when one is asked for. */
  access(claim: AccessClaim, store_id: bigint | null): Promise<AccessFacts>
  /** The stores of the claim's authorization, or all that the app is linked to, by id. */
  page(claim: AccessClaim, offset: number, limit: number, total?: number): Promise<Read>
  more(claim: AccessClaim, after: Cursor, limit: number): Promise<Chunk>
  /** The stores whose merchant has this email, by id. */
  ofMerchant(email: string): Promise<MerchantStore[]>
  exists(id: bigint): Promise<boolean>
  /** Remembers the first activation and keeps its time; answers that time. */
  activate(store_id: bigint, app_id: string, now: Seconds): Promise<Seconds>
}

export interface MerchantStore {
  id: bigint
  name: string
  timezone: string
}

export interface Orders {
  /**
   * An order may move while its page is being sent. With a `total` the entries of the page are settled when it begins:
   * each comes once, wherever it is by then, and as it is by then.
   */
  page(
    claim: AccessClaim,
    query: OrderQuery,
    offset: number,
    limit: number,
    unless_version: number | null,
    total?: number,
  ): Promise<Read>
  more(query: OrderQuery, after: Cursor, limit: number, claim?: AccessClaim): Promise<Chunk>
}

export interface Items {
  page(
    claim: AccessClaim,
    query: ItemQuery,
    offset: number,
    limit: number,
    unless_version: number | null,
    total?: number,
  ): Promise<Read>
  more(query: ItemQuery, after: Cursor, limit: number, claim?: AccessClaim): Promise<Chunk>
}
