import type { Seconds } from '../../lib/clock.ts'
import type { AuditEntry } from './audit.ts'

export interface App {
  /** The client_id. */
  id: string
  name: string
  /** The app's own site, and who made it, as its developer says; merchants see both. */
  website: string | null
  publisher: string | null
  /** Registered scopes, space-delimited. */
  scope: string
  redirect_uris: string[]
  /** A public app has no secret and must use PKCE. */
  public: boolean
  /** The developer account that registered it; null for apps made on the command line. */
  owner_id: string | null
  created_at: Seconds
  disabled_at: Seconds | null
  /** Its developer switched it off, and may switch it on again. False while it is on, or off by the operator. */
  disabled_by_owner: boolean
}

export interface AppSecret {
  id: string
  app_id: string
  hash: string
  created_at: Seconds
  last_used_at: Seconds | null
}

export interface Apps {
  create(app: App, secret: AppSecret | null, audit?: AuditEntry): Promise<void>
  find(id: string): Promise<App | null>
  /** All apps, oldest first. */
  list(): Promise<App[]>
  /** The apps that the account registered, newest first. */
  ofOwner(owner_id: string): Promise<App[]>
  /** What may change of an app; false when there is no such app. */
  update(
    app: Pick<App, 'id' | 'name' | 'website' | 'publisher' | 'redirect_uris'>,
    audit?: AuditEntry,
  ): Promise<boolean>
  /** Secrets that work now, newest first. */
  secrets(app_id: string): Promise<AppSecret[]>
  /** Adds a secret and, in the same transaction, removes all but the newest `keep`. */
  addSecret(secret: AppSecret, keep: number, audit?: AuditEntry): Promise<void>
  /** Remembers the use of a secret, to the minute: a second one in the same minute changes nothing. */
  touchSecret(id: string, now: Seconds): Promise<void>
  /** Removes a secret unless it is the app's only one, whoever else tries at the same time; true when it is gone now. */
  removeSecret(app_id: string, id: string, audit?: AuditEntry): Promise<boolean>
  /**
   * The operator's word: it stands above the developer's, so one that the developer switched off is off by the operator
   * then. False when there is no such app; that it was so already is told to nobody and no entry is written.
   */
  setDisabled(id: string, disabled_at: Seconds | null, audit?: AuditEntry): Promise<boolean>
  /** The developer's own: it ends nothing but what the developer began. True when that changed something. */
  setDisabledByOwner(id: string, disabled_at: Seconds | null, audit?: AuditEntry): Promise<boolean>
}
