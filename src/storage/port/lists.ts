import type { Seconds } from '../../lib/clock.ts'
import type { AccessClaim, AccessFacts } from './authorizations.ts'

/**
 * Part of a page: the stored JSON of its entries, joined by commas, as bytes. `next` continues behind the last entry
 * whatever happened to the list in between; null when nothing follows.
 */
export interface Chunk {
  bytes: Uint8Array
  rows: number
  next: Cursor | null
}

/** Opaque above the engine: the sort key of the last entry read. */
export type Cursor = readonly (bigint | number | string)[]

/** The answer to a first read: the facts of the same moment, and the chunk unless `unless_version` was still current. */
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
  page(claim: AccessClaim, offset: number, limit: number): Promise<Read>
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
  page(
    claim: AccessClaim,
    query: OrderQuery,
    offset: number,
    limit: number,
    unless_version: number | null,
  ): Promise<Read>
  more(query: OrderQuery, after: Cursor, limit: number): Promise<Chunk>
}

export interface Items {
  page(
    claim: AccessClaim,
    query: ItemQuery,
    offset: number,
    limit: number,
    unless_version: number | null,
  ): Promise<Read>
  more(query: ItemQuery, after: Cursor, limit: number): Promise<Chunk>
}
