import type { Seconds } from '../../lib/clock.ts'
import type { AuditEntry } from './audit.ts'

export interface App {
  /** The client_id. */
  id: string
  name: string
  /** The app's site and its publisher, as given by its developer; merchants see both. */
  website: string | null
  publisher: string | null
  /** The version of its logo; null without one. */
  logo: string | null
  /** Registered scopes, space-delimited. */
  scope: string
  redirect_uris: string[]
  /** A public app has no secret and must use PKCE. */
  public: boolean
  /** The developer account that registered it; null for apps created on the command line. */
  owner_id: string | null
  created_at: Seconds
  disabled_at: Seconds | null
  /** The developer disabled it, and may enable it again. False while it is enabled, or disabled by the operator. */
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
  /** A new app has no logo. */
  create(app: Omit<App, 'logo'>, secret: AppSecret | null, audit?: AuditEntry): Promise<void>
  find(id: string): Promise<App | null>
  /** All apps, oldest first. */
  list(): Promise<App[]>
  /** The apps that the account registered, newest first. */
  ofOwner(owner_id: string): Promise<App[]>
  /** The enabled apps with a redirect URI that is this address or lies below it. */
  redirectingTo(start: string): Promise<App[]>
  /**
   * Changes the editable fields; the scope only when one is given. False when the app does not exist. The scopes `lost`
   * are removed from its authorizations too.
   */
  update(
    app: Pick<App, 'id' | 'name' | 'website' | 'publisher' | 'redirect_uris'> & { scope: string | null },
    lost: readonly string[],
    audit?: AuditEntry,
  ): Promise<boolean>
  /** Valid secrets, newest first. */
  secrets(app_id: string): Promise<AppSecret[]>
  /** Adds a secret and, in the same transaction, removes all but the newest `keep`. */
  addSecret(secret: AppSecret, keep: number, audit?: AuditEntry): Promise<void>
  /** Records the use of a secret, to the minute: a second use in the same minute changes nothing. */
  touchSecret(app_id: string, id: string, now: Seconds): Promise<void>
  /** Removes a secret unless it is the app's last one, also under parallel calls; true when this call removed it. */
  removeSecret(app_id: string, id: string, audit?: AuditEntry): Promise<boolean>
  /**
   * For the operator, who overrides the developer: an app that the developer disabled counts as disabled by the operator
   * then. False when the app does not exist; without a change no audit entry is written.
   */
  setDisabled(id: string, disabled_at: Seconds | null, audit?: AuditEntry): Promise<boolean>
  /** For the developer, who can only undo a disabling of their own. True when it changed something. */
  setDisabledByOwner(id: string, disabled_at: Seconds | null, audit?: AuditEntry): Promise<boolean>
}
