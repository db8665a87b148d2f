import type { Seconds } from '../../lib/clock.ts'
import type { AccessClaim, AccessFacts, ReadClaim } from './authorizations.ts'

/** A piece of a page: the stored JSON of its entries, joined by commas. */
export interface Chunk {
  /** Its text in parts that follow each other: joining them would copy them. */
  parts: readonly Uint8Array[]
  rows: number
  /** Where to read on; null at the end of the page or of the list. */
  next: Cursor | null
}

/** A position in a list; opaque above the engine. */
export type Cursor = readonly (bigint | number | string)[]

/** The first read of a page. */
interface FirstRead<Query> {
  claim: ReadClaim
  query: Query
  /** Entries of the list before the page. */
  offset: number
  /** Begins the page behind this sort key; there is no offset then. */
  behind?: Cursor | undefined
  /** Entries to read now. */
  limit: number
  /** Entries of the whole page; without it the page ends with the list. */
  count?: number
  /** No entries are read while what the query covers has this version. */
  unless_version?: number | null
}

/** A later read of the same page, whatever was written in between. */
interface NextRead<Query> {
  claim: ReadClaim
  query: Query
  after: Cursor
  limit: number
}

/** The facts of the moment of the read; `chunk` is null when they forbid it, or when the version is unchanged. */
export interface FirstChunk {
  facts: AccessFacts
  chunk: Chunk | null
  /** The sort key of the last entry of a page that has all of its `count` entries; else null. */
  end: Cursor | null
  /**
   * Of what the query covers: for a window of orders by created_at the number of the newest change in its days, else
   * that of the newest change of the store's orders, or items. 0 when the facts forbid to read.
   */
  version: number
}

/** The facts of the moment of the read; the chunk is empty when they forbid it. */
export interface NextChunk extends Chunk {
  facts: AccessFacts
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

/** Only an app lists its stores this way. */
type StoreRead<Read> = Omit<Read, 'query' | 'unless_version' | 'claim'> & { claim: AccessClaim }

export interface Stores {
  /** The facts behind a claim, with those of the store unless it is null. */
  access(claim: AccessClaim, store_id: bigint | null): Promise<AccessFacts>
  /** The stores of the claim's authorization, or all that the app is linked to, by id. */
  page(read: StoreRead<FirstRead<never>>): Promise<Omit<FirstChunk, 'version'>>
  more(read: StoreRead<NextRead<never>>): Promise<NextChunk>
  /** The stores whose merchant has this email, by id. */
  ofMerchant(email: string): Promise<MerchantStore[]>
  exists(id: bigint): Promise<boolean>
  /** Records the first activation; returns its time. */
  activate(store_id: bigint, app_id: string, now: Seconds): Promise<Seconds>
}

export interface MerchantStore {
  id: bigint
  name: string
  timezone: string
}

export interface Orders {
  /**
   * An order may move while its page is being sent. With a `count` the page is fixed to the ids that it has at its first
   * read: each order comes once, in its newest version.
   */
  page(read: FirstRead<OrderQuery>): Promise<FirstChunk>
  more(read: NextRead<OrderQuery>): Promise<NextChunk>
  /** One order by its id; null when there is none, or when the facts forbid it. */
  find(read: { claim: ReadClaim; store_id: bigint; id: string }): Promise<FoundOrder>
}

interface FoundOrder {
  facts: AccessFacts
  /** The JSON as the lists send it, and the number of the change that stored it. */
  order: { doc: string; seq: number } | null
}

export interface Items {
  page(read: FirstRead<ItemQuery>): Promise<FirstChunk>
  more(read: NextRead<ItemQuery>): Promise<NextChunk>
}
