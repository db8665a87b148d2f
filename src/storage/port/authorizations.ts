import type { Seconds } from '../../lib/clock.ts'
import type { AuditEntry } from './audit.ts'

/**
 * A merchant's consent to an app (account_id set) or the operator's own link (null), with the stores it covers. At most
 * one is live for each app and account. OAuth calls it the grant: tokens refer to it, and end when it is revoked.
 */
export interface Authorization {
  id: string
  app_id: string
  account_id: string | null
  /** The scopes that were allowed, space-delimited: for the app's own token too, which reads the same stores. */
  scope: string
  created_at: Seconds
  updated_at: Seconds
  revoked_at: Seconds | null
}

export interface Authorizations {
  find(id: string): Promise<Authorization | null>
  findLive(app_id: string, account_id: string | null): Promise<Authorization | null>
  /**
   * Sets the stores of the live authorization of the app and account, and creates one under `id` if there is none. The
   * stores are then covered with `scope`. `add` keeps the stores it had; `change` creates nothing, and keeps the scope.
   * Returns the id of the live one; or null, without a write, when there is none to change, or when `merchant` is given
   * and a store is not that merchant's or the account is disabled.
   */
  save(
    authorization: Pick<Authorization, 'id' | 'app_id' | 'account_id' | 'scope'> & { merchant?: string },
    store_ids: readonly bigint[],
    mode: 'replace' | 'add' | 'change',
    now: Seconds,
    audit?: AuditEntry,
  ): Promise<string | null>
  storeIds(id: string): Promise<bigint[]>
  /** The apps with a live authorization of the account, or the given one, by the app's id; their stores by id. */
  ofAccount(account_id: string, app_id?: string): Promise<ConnectedApp[]>
  /** The operator's own links to these stores, of all apps or of the given one; by store, then app. */
  linksTo(store_ids: readonly bigint[], app_id?: string): Promise<StoreLink[]>
  /** True when this call revoked it. */
  revoke(id: string, now: Seconds, audit?: AuditEntry): Promise<boolean>
  /** Revokes every authorization of the app, or removes these stores from each; returns how many it changed. */
  revokeApp(
    app_id: string,
    store_ids: readonly bigint[] | null,
    now: Seconds,
    audit?: AuditEntry,
  ): Promise<number>
}

/** A live authorization as its merchant sees it. */
export interface ConnectedApp {
  authorization_id: string
  app_id: string
  app_name: string
  created_at: Seconds
  scope: string
  /** `since`: when the app was first allowed this store. */
  stores: { id: bigint; since: Seconds; activated_at: Seconds | null }[]
}

/** An app that may read a store. */
export interface StoreLink {
  store_id: bigint
  app_id: string
  /** The scopes by which it may, space-delimited. */
  scope: string
  since: Seconds
  activated_at: Seconds | null
}

/** The claims of a bearer token that the database checks. */
export interface AccessClaim {
  app_id: string
  /** Null for client_credentials: the app itself, for every store it is linked to. */
  authorization_id: string | null
  jti: string
  /** Absent for client_credentials. */
  family?: TokenFamily
}

/** A person who reads on the pages: an operator every store, a merchant their own. The database checks it. */
interface PersonClaim {
  account_id: string
}

/** Who reads the data of a store. */
export type ReadClaim = AccessClaim | PersonClaim

/**
 * The tokens that come from one code. The code gives those of generation 0, and each refresh those of the next one, so
 * the tokens that descend from a refresh token are those of later generations.
 */
export interface TokenFamily {
  id: string
  generation: number
}

/** The current state behind a token. */
export interface TokenFacts {
  /** For a person: the account is not disabled. */
  app_live: boolean
  /** The app's scopes, space-delimited; every one for a person. */
  app_scope: string
  /** The token itself, or its family from its generation on. */
  token_revoked: boolean
  /** True for a claim without an authorization. */
  authorization_live: boolean
}

/** The current state behind a token, and of the requested store. */
export interface AccessFacts extends TokenFacts {
  /** Null when the request names no store, or one that does not exist. */
  store: StoreFacts | null
  store_allowed: boolean
  /** The scopes by which the store may be read, space-delimited; a scope may be in it twice. */
  store_scope: string
}

export interface StoreFacts {
  /** Rendered as in spec 2.3. */
  doc: string
  /** The newest number of the store's sequence. */
  seq: number
  /** That of the newest change of an order, or item. */
  orders_version: number
  items_version: number
}
