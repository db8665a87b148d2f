import type { Seconds } from '../lib/clock.ts'

/**
 * What Tillgate asks of a database, by noun. An engine implements all of it (storage/sqlite, storage/postgres), and
 * test/storage is the one suite that every engine passes. Asynchronous throughout, though the embedded engine answers
 * at once. Ids of stores and items are bigint: int64 exact. Times are seconds, given by the caller, never by the engine.
 */
export interface Storage {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly apps: Apps
  readonly authorizations: Authorizations
  readonly artifacts: Artifacts
  readonly revokedTokens: RevokedTokens
  readonly keys: Keys
  readonly throttles: Throttles
  readonly stores: Stores
  readonly orders: Orders
  readonly items: Items
  readonly sales: Sales
  readonly records: Records
  /** Rejects when the database cannot answer. */
  ping(): Promise<void>
  /** True when it holds no account, no app and no store. */
  isEmpty(): Promise<boolean>
  /** Deletes what has expired: artifacts, sessions, revoked tokens, throttles. */
  purge(now: Seconds): Promise<void>
  /** A consistent copy of the whole database, taken while it is in use. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

// ---------------------------------------------------------------------------------------------- people and apps

export type Role = 'merchant' | 'developer' | 'operator'

export interface Account {
  id: string
  /** Lower case; unique. */
  email: string
  role: Role
  password_hash: string
  created_at: Seconds
  disabled_at: Seconds | null
}

export interface Accounts {
  /** False when the email is taken. */
  create(account: Account): Promise<boolean>
  findByEmail(email: string): Promise<Account | null>
  find(id: string): Promise<Account | null>
}

interface Session {
  /** sha256 of what the cookie holds. */
  hash: string
  account_id: string
  created_at: Seconds
  expires_at: Seconds
}

export interface Sessions {
  create(session: Session): Promise<void>
  /** The account of a session that has neither ended nor expired, unless the account is disabled. */
  findAccount(hash: string, now: Seconds): Promise<Account | null>
  end(hash: string): Promise<void>
}

export interface App {
  /** The client_id. */
  id: string
  name: string
  /** Registered scopes, space-delimited. */
  scope: string
  redirect_uris: string[]
  /** A public app has no secret and must use PKCE. */
  public: boolean
  /** The developer account that registered it; null for apps made on the command line. */
  owner_id: string | null
  created_at: Seconds
  disabled_at: Seconds | null
}

export interface AppSecret {
  id: string
  app_id: string
  hash: string
  created_at: Seconds
  last_used_at: Seconds | null
}

export interface Apps {
  create(app: App, secret: AppSecret | null): Promise<void>
  find(id: string): Promise<App | null>
  /** All apps, oldest first. */
  list(): Promise<App[]>
  /** The apps that the account registered, newest first. */
  ofOwner(owner_id: string): Promise<App[]>
  /** Secrets that work now, newest first. */
  secrets(app_id: string): Promise<AppSecret[]>
  /** Adds a secret and, in the same transaction, removes all but the newest `keep`. */
  addSecret(secret: AppSecret, keep: number): Promise<void>
  /** Remembers the use of a secret, to the minute: one write a minute at most. */
  touchSecret(id: string, now: Seconds): Promise<void>
  /** Removes a secret unless it is the app's only one, whoever else tries at the same time; true when it is gone now. */
  removeSecret(app_id: string, id: string): Promise<boolean>
  setDisabled(id: string, disabled_at: Seconds | null): Promise<boolean>
}

// ---------------------------------------------------------------------------------------------- who may read what

/**
 * A merchant's consent to an app (account_id set) or the operator's own link (null), with the stores it covers.
 * At most one is live for each app and account. It is what OAuth calls the grant: tokens name it, and when it is
 * revoked they die with it.
 */
export interface Authorization {
  id: string
  app_id: string
  account_id: string | null
  /** Scopes that a token of the authorization_code grant may carry, space-delimited. */
  scope: string
  created_at: Seconds
  updated_at: Seconds
  revoked_at: Seconds | null
}

export interface Authorizations {
  find(id: string): Promise<Authorization | null>
  findLive(app_id: string, account_id: string | null): Promise<Authorization | null>
  /**
   * Makes these the stores of the live authorization of the app and account, creating one under `id` when there is
   * none. `add` keeps the stores it had. Answers the live one's id.
   */
  save(
    authorization: Pick<Authorization, 'id' | 'app_id' | 'account_id' | 'scope'>,
    store_ids: readonly bigint[],
    mode: 'replace' | 'add',
    now: Seconds,
  ): Promise<string>
  storeIds(id: string): Promise<bigint[]>
  /** The apps that the account allowed and still allows, by name, then id; their stores by id. */
  ofAccount(account_id: string): Promise<ConnectedApp[]>
  /** True when it was live until now. */
  revoke(id: string, now: Seconds): Promise<boolean>
  /** Revokes every authorization of the app, or takes these stores out of each; answers how many were touched. */
  revokeApp(app_id: string, store_ids: readonly bigint[] | null, now: Seconds): Promise<number>
}

/** A live authorization as its merchant sees it. */
export interface ConnectedApp {
  authorization_id: string
  app_id: string
  app_name: string
  created_at: Seconds
  stores: { id: bigint; name: string; activated_at: Seconds | null }[]
}

/** What a bearer token claims, for the database to confirm. */
export interface AccessClaim {
  app_id: string
  /** Null for client_credentials: the app itself, for every store it is linked to. */
  authorization_id: string | null
  jti: string
}

/** The state behind a token at this moment, and of the store that it asks for. */
export interface AccessFacts {
  app_live: boolean
  token_revoked: boolean
  /** True for a claim without an authorization. */
  authorization_live: boolean
  /** Null when no store was asked for or none has that id. */
  store: StoreFacts | null
  store_allowed: boolean
}

export interface StoreFacts {
  /** Rendered as in spec 2.3. */
  doc: string
  /** Rise with every committed change of the store's orders, and of its items. */
  orders_version: number
  items_version: number
}

// ---------------------------------------------------------------------------------------------- OAuth's short-lived things

export interface Artifact {
  payload: string
  expires_at: Seconds
  consumed_at: Seconds | null
}

/** Codes, refresh tokens and interactions of the OAuth provider, known by the hash of their value only. */
export interface Artifacts {
  put(kind: string, hash: string, payload: string, expires_at: Seconds): Promise<void>
  find(kind: string, hash: string): Promise<Artifact | null>
  /** One conditional update: true for exactly one caller, ever. */
  consume(kind: string, hash: string, now: Seconds): Promise<boolean>
  remove(kind: string, hash: string): Promise<void>
}

/** Access tokens revoked one by one before their time. */
export interface RevokedTokens {
  add(jti: string, expires_at: Seconds): Promise<void>
  has(jti: string): Promise<boolean>
}

export interface Key {
  id: string
  use: 'sign' | 'cookie'
  /** A private JWK as JSON for `sign`, random text for `cookie`. */
  secret: string
  created_at: Seconds
  /** A retired key no longer signs; it verifies until it is removed. */
  retired_at: Seconds | null
}

export interface Keys {
  /** Newest first. */
  list(use: Key['use']): Promise<Key[]>
  /** Adds the key only if none of its use exists yet, whoever else tries at the same time. */
  addFirst(key: Key): Promise<void>
  /** Adds the key, retires the others of its use, removes those retired before `remove_before`. */
  rotate(key: Key, remove_before: Seconds): Promise<void>
}

/** Counters in fixed windows of time, shared by every node. */
export interface Throttles {
  /** Counts one more and answers the number in the current window. */
  hit(key: string, now: Seconds, window: Seconds): Promise<number>
  count(key: string, now: Seconds): Promise<number>
  clear(key: string): Promise<void>
}

// ---------------------------------------------------------------------------------------------- the lists

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

// ---------------------------------------------------------------------------------------------- sales

/** Whole buckets of one width, from the first second of the first to the first second of the last, both included. */
export interface BucketSpan {
  width: Seconds
  first: Seconds
  last: Seconds
}

export interface SalesQuery {
  store_id: bigint
  spans: readonly BucketSpan[]
  /** Stretches too short for a bucket, both ends included, summed from the orders themselves. */
  edges: readonly { from: Seconds; to: Seconds }[]
}

export interface SoldItem {
  item_id: bigint
  /** How many order lines stand behind the sum; an item with none is not listed. */
  lines: bigint
  units: bigint
  nanos: bigint
}

export interface Sales {
  /** Sums by item, in any order; an item may come more than once. The version is that of the store's orders. */
  sum(
    claim: AccessClaim,
    query: SalesQuery,
    unless_version: number | null,
  ): Promise<{ facts: AccessFacts; sold: SoldItem[] | null }>
}

// ---------------------------------------------------------------------------------------------- writing records

export interface StoreRow {
  id: bigint
  name: string
  timezone: string
  merchant: string | null
  doc: string
}

export interface ItemRow {
  store_id: bigint
  id: bigint
  updated_at: Seconds
  doc: string
}

export interface OrderRow {
  store_id: bigint
  id: string
  created_at: Seconds
  updated_at: Seconds
  paid_at: Seconds | null
  /** What it adds to the sales, written by `lib/sold.ts`; empty when it adds nothing. */
  sold: string
  doc: string
}

/** Which rows a batch is about. */
export interface RecordKeys {
  store_ids: readonly bigint[]
  items: readonly { store_id: bigint; id: bigint }[]
  orders: readonly { store_id: bigint; id: string }[]
}

/** Those rows as they are, read under the lock that the changes will be written under. */
export interface ExistingRows {
  stores: readonly StoreRow[]
  items: readonly ItemRow[]
  orders: readonly OrderRow[]
}

export interface RollupDelta extends SoldItem {
  store_id: bigint
  width: Seconds
  bucket: Seconds
}

export interface RecordChanges {
  stores: readonly StoreRow[]
  items: readonly ItemRow[]
  /** `was_created_at` is the created_at under which the order is stored now; null for a new order. */
  orders: readonly { row: OrderRow; was_created_at: Seconds | null }[]
  rollups: readonly RollupDelta[]
  /**
   * The versions that rise, rise to this at least. Given as a time, so that a database that was restored from a backup
   * never gives a version out again that it had before.
   */
  least_version?: number
}

export interface Records {
  /**
   * One transaction: locks the batch's stores, reads the rows, lets `decide` say what changes, writes that, raises
   * the versions of the stores whose orders or items changed, and commits durably. A store that changes its merchant
   * loses the authorizations that its former merchant gave. When `decide` throws, nothing is written.
   */
  write<T extends RecordChanges>(keys: RecordKeys, decide: (existing: ExistingRows) => T): Promise<T>
}

/** The database is busy, full, down or out of reach: the request may be tried again. */
export class StorageUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageUnavailable'
  }
}
