import type { Seconds } from '../../lib/clock.ts'
import type { Accounts, Sessions } from './accounts.ts'
import type { Apps } from './apps.ts'
import type { Audit } from './audit.ts'
import type { Authorizations } from './authorizations.ts'
import type { Browse } from './browse.ts'
import type { Items, Orders, Stores } from './lists.ts'
import type { Artifacts, Clients, Keys, RevokedTokens, Throttles } from './oauth.ts'
import type { Records } from './records.ts'
import type { Sales } from './sales.ts'
import type { Switches } from './switches.ts'
import type { Usage } from './usage.ts'

export type * from './accounts.ts'
export type * from './apps.ts'
export type * from './audit.ts'
export type * from './authorizations.ts'
export type * from './browse.ts'
export type * from './lists.ts'
export type * from './oauth.ts'
export type * from './records.ts'
export type * from './sales.ts'
export type * from './switches.ts'
export type * from './usage.ts'
export { StorageUnavailable } from './unavailable.ts'
export { usageRetention, usageWidths } from './usage.ts'

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
  readonly clients: Clients
  readonly throttles: Throttles
  readonly stores: Stores
  readonly orders: Orders
  readonly items: Items
  readonly sales: Sales
  readonly records: Records
  readonly audit: Audit
  readonly browse: Browse
  readonly switches: Switches
  readonly usage: Usage
  /** Rejects when the database cannot answer. */
  ping(): Promise<void>
  /** True when it holds no account, no app and no store. */
  isEmpty(): Promise<boolean>
  /** Bytes of the database. */
  size(): Promise<number>
  /** The engine's name and number, such as "PostgreSQL 18.4". */
  version(): Promise<string>
  /** The number of the last migration: what the tables look like. */
  schema(): Promise<number>
  /** Deletes what has expired: artifacts, sessions, revoked tokens, throttles, and usage beyond its retention. */
  purge(now: Seconds): Promise<void>
  /** A consistent copy of the whole database, taken while it is in use. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}
