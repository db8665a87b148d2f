import type { Seconds } from '../../lib/clock.ts'

/** What the audit log tells of. A closed set: pages and documents have a sentence for each. */
export type AuditAction =
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_out'
  | 'account_created'
  | 'account_disabled'
  | 'account_enabled'
  | 'password_changed'
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
  | 'access_linked'
  | 'store_moved'
  | 'keys_rotated'
  | 'switch_set'

/** Who did it: a person signed in, an app with its own credentials, a command on the server's machine, or the server. */
type ActorKind = 'account' | 'app' | 'command' | 'server'

/**
 * One line of the audit log: who, what, when, from where. Every method that changes something takes the entry that
 * tells of it and writes both in one transaction; when nothing changes, nothing is told.
 */
export interface AuditEntry {
  /** Grows with time, so that the log is sorted by it. */
  id: string
  at: Seconds
  action: AuditAction
  actor_kind: ActorKind
  /** The account's or the app's id. */
  actor_id: string | null
  /** As it was called then: the email, the app's name, the user of the machine. */
  actor_name: string | null
  /** Whom it concerns beside the actor: an account (of the merchant whose consent it is, say), an app, stores. */
  account_id: string | null
  app_id: string | null
  store_ids: readonly bigint[]
  /** A short text for people, where the action alone does not say it all. */
  detail: string | null
  /** The address the request came from; null for commands. */
  address: string | null
  request_id: string | null
}

/** An entry with the names, as they are now, of what it points to. */
export interface AuditLine extends AuditEntry {
  account_email: string | null
  app_name: string | null
}

export interface AuditQuery {
  /** What this account did, or what concerns it. */
  account_id?: string
  app_id?: string
  action?: AuditAction
  /**
   * Found in the actor's name, the account's email, the app's name or the detail, or equal to the id of an app, a store
   * or a request, or to an address.
   */
  search?: string
  /** Only entries before this one. */
  before?: string
  limit: number
  /** Entries looked at for a text, at most: no index has it, and the log may be of any length. */
  look: number
}

export interface AuditPage {
  /** Newest first; fewer than were asked for, also none, when `look` came to its end. */
  lines: AuditLine[]
  /** The `before` of what follows; null when nothing does. */
  next: string | null
}

/** Only ever added to. The database itself refuses to change or delete an entry. */
export interface Audit {
  append(entry: AuditEntry): Promise<void>
  list(query: AuditQuery): Promise<AuditPage>
}
