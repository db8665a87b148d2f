import type { Seconds } from '../../lib/clock.ts'
import type { Accounts, Sessions, TwoFactors } from './accounts.ts'
import type { Apps } from './apps.ts'
import type { Audit } from './audit.ts'
import type { Authorizations } from './authorizations.ts'
import type { BrandStore, Logos } from './brand.ts'
import type { Browse } from './browse.ts'
import type { Decisions } from './decisions.ts'
import type { Changes } from './changes.ts'
import type { Items, Orders, Stores } from './lists.ts'
import type { Artifacts, Clients, Keys, RevokedTokens, Throttles } from './oauth.ts'
import type { Records } from './records.ts'
import type { Sales } from './sales.ts'
import type { Switches } from './switches.ts'
import type { Usage } from './usage.ts'
import type { Webhooks } from './webhooks.ts'

export type * from './accounts.ts'
export type * from './apps.ts'
export type * from './audit.ts'
export type * from './authorizations.ts'
export type * from './brand.ts'
export type * from './browse.ts'
export type * from './decisions.ts'
export type * from './changes.ts'
export type * from './lists.ts'
export type * from './oauth.ts'
export type * from './records.ts'
export type * from './sales.ts'
export type * from './switches.ts'
export type * from './usage.ts'
export type * from './webhooks.ts'
export { logoTypes, platformOwner } from './brand.ts'
export { changeKinds } from './changes.ts'
export { StorageUnavailable } from './unavailable.ts'
export { addReads, addRequests, allApps, everSpan, usageRetention, usageWidths } from './usage.ts'
export { webhookEvents, webhookTypes } from './webhooks.ts'

/**
 * The database interface, by noun. Each engine (storage/sqlite, storage/postgres) implements all of it and passes the
 * suite in test/storage. All methods are asynchronous, although SQLite runs in the process. Ids of stores and items are
 * bigint, exact over int64. Times are seconds and come from the caller, never from the engine.
 */
export interface Storage {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly twoFactors: TwoFactors
  readonly apps: Apps
  readonly authorizations: Authorizations
  readonly decisions: Decisions
  readonly artifacts: Artifacts
  readonly revokedTokens: RevokedTokens
  readonly keys: Keys
  readonly clients: Clients
  readonly throttles: Throttles
  readonly stores: Stores
  readonly orders: Orders
  readonly items: Items
  readonly sales: Sales
  readonly changes: Changes
  readonly records: Records
  readonly audit: Audit
  readonly browse: Browse
  readonly switches: Switches
  readonly brand: BrandStore
  readonly logos: Logos
  readonly usage: Usage
  readonly webhooks: Webhooks
  /** Rejects when the database cannot answer. */
  ping(): Promise<void>
  /** True when there is no account, no app and no store. */
  isEmpty(): Promise<boolean>
  /** Size of the database in bytes. */
  size(): Promise<number>
  /** The engine's name and version, such as "PostgreSQL 18.4". */
  version(): Promise<string>
  /** The number of the last migration. */
  schema(): Promise<number>
  /**
   * Deletes expired artifacts, sessions, revoked tokens and throttles, and usage figures beyond their retention. When a
   * table fails, the others are purged all the same, and then the first error is thrown.
   */
  purge(now: Seconds): Promise<void>
  /** Writes a consistent copy of the whole database while it is in use. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}
