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
   */
  setDisabled(
    id: string,
    disabled_at: Seconds | null,
    now: Seconds,
    audit?: AuditEntry,
  ): Promise<'changed' | 'unchanged' | 'last_operator'>
  /** Ends the account's sessions too; false when there is no such account. */
  setPassword(id: string, password_hash: string, audit?: AuditEntry): Promise<boolean>
}

interface Session {
  /** sha256 of what the cookie holds. */
  hash: string
  account_id: string
  created_at: Seconds
  expires_at: Seconds
}

export interface Sessions {
  create(session: Session, audit?: AuditEntry): Promise<void>
  /** The account of a session that has neither ended nor expired, unless the account is disabled. */
  findAccount(hash: string, now: Seconds): Promise<Account | null>
  /** True when there was one to end. */
  end(hash: string, audit?: AuditEntry): Promise<boolean>
}
