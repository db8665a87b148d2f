import type { Seconds } from '../../lib/clock.ts'
import type { AuditEntry } from './audit.ts'

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
  create(account: Account, audit?: AuditEntry): Promise<boolean>
  findByEmail(email: string): Promise<Account | null>
  find(id: string): Promise<Account | null>
  /**
   * Disabling ends the account's sessions and revokes the authorizations that it gave, in the same transaction;
   * enabling brings neither back. The last operator who is enabled stays so, whoever else tries at the same time.
   * With `tellApp`, disabling disables the apps that the account registered too, also when it was disabled already;
   * it gives the entry for each.
   */
  setDisabled(
    id: string,
    disabled_at: Seconds | null,
    now: Seconds,
    audit?: AuditEntry,
    tellApp?: (app_id: string) => AuditEntry,
  ): Promise<'changed' | 'unchanged' | 'last_operator'>
  /** Ends the account's sessions too; false when there is no such account. */
  setPassword(id: string, password_hash: string, audit?: AuditEntry): Promise<boolean>
}

interface NewSession {
  /** sha256 of what the cookie holds. */
  hash: string
  account_id: string
  /** The one that the password was found to go with. */
  password_hash: string
  created_at: Seconds
  expires_at: Seconds
}

export interface Sessions {
  /**
   * False when the account was disabled or got another password since the password was looked at: what ends an
   * account's sessions also ends the sign-in that is under way.
   */
  create(session: NewSession, audit?: AuditEntry): Promise<boolean>
  /** The account of a session that has neither ended nor expired, unless the account is disabled. */
  findAccount(hash: string, now: Seconds): Promise<Account | null>
  /** True when there was one to end. */
  end(hash: string, audit?: AuditEntry): Promise<boolean>
}
