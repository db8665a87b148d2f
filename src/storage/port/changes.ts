import type { AuditEntry } from './audit.ts'
import type { AccessClaim, AccessFacts, ReadClaim, StoreFacts, TokenFacts } from './authorizations.ts'
import type { Chunk, Cursor, NextChunk } from './lists.ts'

export const changeKinds = ['order', 'item'] as const
export type ChangeKind = (typeof changeKinds)[number]

export interface ChangesQuery {
  store_id: bigint
  /** Only entities whose seq is higher. */
  after: number
  kinds: readonly ChangeKind[]
}

/** The facts, the feed and the entries of one moment; `chunk` is null when the facts forbid it. */
interface FirstChanges {
  facts: AccessFacts
  /** The id of the database's history. */
  history: string
  chunk: ChangesChunk | null
}

export interface ChangesChunk extends Chunk {
  /** How many of the rows are orders. */
  orders: number
  /** Of the last entry; null without entries. */
  last_seq: number | null
}

export type StoreVersions = Pick<StoreFacts, 'orders_version' | 'items_version'> & { id: bigint }

/** The stores that an app's requests wait for, with one token. */
export interface WaitingRead {
  claim: AccessClaim
  store_ids: readonly bigint[]
}

export interface WaitingAccess {
  token: TokenFacts
  /** The stores that the claim covers, each with its scopes (`store_scope`); of others than `store_ids` it may have some. */
  allowed: ReadonlyMap<bigint, string>
}

/** The newest seq of each store that a claim covers, as JSON, by store. */
interface HeadsRead {
  claim: AccessClaim
  /** Only stores that may be read by one of these scopes, at most one for each kind. */
  scopes: readonly string[]
  offset: number
  /** Behind this store; then there is no offset. */
  after: bigint | null
  limit: number
}

interface Heads {
  facts: AccessFacts
  /** Null when the facts forbid it. */
  heads: readonly { store_id: bigint; seq: number }[] | null
}

interface ReceiptsQuery {
  store_id: bigint
  /** Days since 1970-01-01, both included. */
  first_day: number
  last_day: number
}

/** The number of entities and the sums over them; see `lib/digest.ts`. */
export interface Receipt {
  count: number
  subtotal: number
  digest: string
}

/** All of one moment; `days` has the days with orders. Null when the facts forbid it. */
export interface Receipts {
  facts: AccessFacts
  history: string
  receipts: { days: readonly (Receipt & { day: number })[]; items: Receipt } | null
}

export interface Changes {
  /** Entities with `after` < seq ≤ the store's newest seq, in their newest version, by seq. */
  page(read: { claim: AccessClaim; query: ChangesQuery; limit: number; count: number }): Promise<FirstChanges>
  /** The entries behind a cursor, up to the newest seq of the first read. */
  more(read: {
    claim: AccessClaim
    query: ChangesQuery
    after: Cursor
    limit: number
  }): Promise<NextChunk & ChangesChunk>
  heads(read: HeadsRead): Promise<Heads>
  receipts(read: { claim: ReadClaim; query: ReceiptsQuery }): Promise<Receipts>
  /** Text that differs after anything was stored by anybody; null from a database that cannot tell. */
  state(): Promise<string | null>
  /** Of many stores, by id, those whose newest seq is above the given one. */
  moved(known: ReadonlyMap<bigint, number>): Promise<StoreVersions[]>
  /** What many claims may read now, in the same order; of about a thousand stores, because it is one message. */
  access(reads: readonly WaitingRead[]): Promise<WaitingAccess[]>
  /** The id of the database's history. */
  history(): Promise<string>
  /** Begins a new history and returns its id: clients of `changes` then read everything again. */
  renewHistory(audit?: AuditEntry): Promise<string>
}
