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
  /** Those of the emails that a merchant has. */
  merchantsAmong(emails: readonly string[]): Promise<string[]>
  find(id: string): Promise<Account | null>
  /**
   * Disabling ends the account's sessions and revokes the authorizations that it gave, in the same transaction;
   * enabling restores neither. The last enabled operator cannot be disabled, also not by parallel calls. With
   * `appEntry`, disabling also disables the account's apps, even if the account was disabled before; it makes the
   * audit entry for each app.
   */
  setDisabled(
    id: string,
    disabled_at: Seconds | null,
    now: Seconds,
    audit?: AuditEntry,
    appEntry?: (app_id: string) => AuditEntry,
  ): Promise<'changed' | 'unchanged' | 'last_operator'>
  /** Ends the account's sessions too; false when its password is no longer the one that it replaces. */
  setPassword(
    id: string,
    password: { password_hash: string; replaces: string },
    audit?: AuditEntry,
  ): Promise<boolean>
}

interface NewSession {
  /** SHA-256 of the cookie's value. */
  hash: string
  account_id: string
  /** The hash that the password was verified against. */
  password_hash: string
  created_at: Seconds
  expires_at: Seconds
  address?: string | null
  /** The User-Agent header, cut. */
  browser?: string | null
}

export type Session = Required<Pick<NewSession, 'hash' | 'created_at' | 'address' | 'browser'>>

export interface Sessions {
  /**
   * False when the account was disabled or its password changed since the verification: either one also ends a sign-in
   * that is in progress.
   */
  create(session: NewSession, audit?: AuditEntry): Promise<boolean>
  /** The account of a live session; null when the session has ended or expired, or the account is disabled. */
  findAccount(hash: string, now: Seconds): Promise<Account | null>
  /** True when the session existed. */
  end(hash: string, audit?: AuditEntry): Promise<boolean>
  /** The live sessions of an account, newest first. */
  ofAccount(account_id: string, now: Seconds): Promise<Session[]>
  /** Ends the sessions of an account but for one; returns how many. */
  endOthers(account_id: string, keep: string, audit?: AuditEntry): Promise<number>
}

export interface TwoFactor {
  /** Base32. */
  secret: string
  created_at: Seconds
  recovery_codes_left: number
}

/** Accounts that sign in with a code besides the password. */
export interface TwoFactors {
  find(account_id: string): Promise<TwoFactor | null>
  /** Replaces what was there. `step`: the time step of the code that confirmed it; `recovery_hashes` are of equal length. */
  set(
    account_id: string,
    two_factor: { secret: string; step: number; recovery_hashes: readonly string[]; created_at: Seconds },
    audit?: AuditEntry,
  ): Promise<void>
  /** True when there was one. */
  remove(account_id: string, audit?: AuditEntry): Promise<boolean>
  /** True for exactly one caller: a code of this or an earlier time step works no more. */
  useStep(account_id: string, step: number): Promise<boolean>
  /** True for exactly one caller. */
  useRecoveryCode(account_id: string, hash: string): Promise<boolean>
}
