import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomSecret } from '../../lib/ids.ts'
import type { Account, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type By, type From } from '../audit/audit.ts'

/** Half a day: a working day's sitting, and not the next one's. */
export const sessionLifetime = 12 * 3600

/** Who is signed in, kept in the database so that signing out ends it everywhere. The cookie's value is never stored. */
export function createSessions({ storage, clock }: { storage: Pick<Storage, 'sessions'>; clock: Clock }) {
  return {
    /**
     * Answers what the cookie shall hold: always a new value, so that one planted before sign-in is worth nothing. Null
     * when the account, as it was read to look at the password, is no longer: disabled, or with another password.
     */
    async start(account: Account, from: From): Promise<string | null> {
      const value = randomSecret()
      const created_at = clock.now()
      const made = await storage.sessions.create(
        {
          hash: sha256(value),
          account_id: account.id,
          password_hash: account.password_hash,
          created_at,
          expires_at: created_at + sessionLifetime,
        },
        auditEntry(clock, byAccount(account, from), 'sign_in'),
      )
      return made ? value : null
    },
    find: (value: string): Promise<Account | null> =>
      storage.sessions.findAccount(sha256(value), clock.now()),
    /** At sign-out, and when another sign-in takes its place; `by` is null when there is nothing to tell. */
    async end(value: string, by: By | null): Promise<void> {
      await storage.sessions.end(sha256(value), by ? auditEntry(clock, by, 'sign_out') : undefined)
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>
