import type { Seconds } from '../../lib/clock.ts'

/** The actions in the audit log. A closed set: pages and documents have a sentence for each. */
export type AuditAction =
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_out'
  | 'account_created'
  | 'account_disabled'
  | 'account_enabled'
  | 'password_changed'
  | 'password_link_created'
  | 'sessions_ended'
  | 'two_factor_on'
  | 'two_factor_off'
  | 'app_created'
  | 'app_changed'
  | 'app_disabled'
  | 'app_enabled'
  | 'secret_added'
  | 'secret_retired'
  | 'access_allowed'
  | 'access_denied'
  | 'access_changed'
  | 'access_revoked'
  | 'tokens_ended'
  | 'access_linked'
  | 'store_moved'
  | 'keys_rotated'
  | 'feed_renewed'
  | 'switch_set'
  | 'brand_changed'
  | 'webhook_created'
  | 'webhook_changed'
  | 'webhook_deleted'
  | 'webhooks_paused'
  | 'webhooks_resumed'

/** A signed-in person, an app with its own credentials, a command on the server's machine, or the server itself. */
type ActorKind = 'account' | 'app' | 'command' | 'server'

/**
 * One entry of the audit log: who, what, when, from where. Every method that changes something takes its audit entry and
 * writes both in one transaction; when nothing changes, it writes no entry.
 */
export interface AuditEntry {
  /** Ascending with time: the sort key of the log. */
  id: string
  at: Seconds
  action: AuditAction
  actor_kind: ActorKind
  /** The account's or the app's id. */
  actor_id: string | null
  /** The name at that time: the email, the app's name, or the machine's user. */
  actor_name: string | null
  /** The account (for example the merchant who consented), the app and the stores that the action concerns. */
  account_id: string | null
  app_id: string | null
  store_ids: readonly bigint[]
  /** A short text for people, where the action alone is not enough. */
  detail: string | null
  /** The address the request came from; null for commands. */
  address: string | null
  request_id: string | null
}

/** An entry with the current names of the account and the app that it refers to. */
export interface AuditLine extends AuditEntry {
  account_email: string | null
  app_name: string | null
}

export interface AuditQuery {
  /** Entries that this account caused, or that concern it. */
  account_id?: string
  app_id?: string
  action?: AuditAction
  /**
   * Part of the actor's name, the account's email, the app's name or the detail; or the whole id of an app, a store or a
   * request, or an address.
   */
  search?: string
  /** Only entries before this one. */
  before?: string
  limit: number
  /** The most entries to scan: no index serves a text search, and the log may be of any length. */
  scan_limit: number
}

export interface AuditPage {
  /** Newest first; fewer than `limit`, or none, when `scan_limit` entries were scanned. */
  lines: AuditLine[]
  /** The `before` of the next page; null when there is none. */
  next: string | null
}

/** Append-only: the database itself refuses to change or delete an entry. */
export interface Audit {
  append(entry: AuditEntry): Promise<void>
  list(query: AuditQuery): Promise<AuditPage>
}
