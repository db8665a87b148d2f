import type { Seconds } from '../../lib/clock.ts'

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
  create(account: Account): Promise<boolean>
  findByEmail(email: string): Promise<Account | null>
  find(id: string): Promise<Account | null>
}

interface Session {
  /** sha256 of what the cookie holds. */
  hash: string
  account_id: string
  created_at: Seconds
  expires_at: Seconds
}

export interface Sessions {
  create(session: Session): Promise<void>
  /** The account of a session that has neither ended nor expired, unless the account is disabled. */
  findAccount(hash: string, now: Seconds): Promise<Account | null>
  end(hash: string): Promise<void>
}
