import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomSecret } from '../../lib/ids.ts'
import type { Account, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type By, type From } from '../audit/audit.ts'

/** Long enough for a working day, and over before the next one. */
export const sessionLifetime = 12 * 3600

/** Sessions are in the database, so that signing out ends them on every node; only a hash of the cookie is stored. */
export function createSessions({ storage, clock }: { storage: Pick<Storage, 'sessions'>; clock: Clock }) {
  return {
    /**
     * Returns the cookie's value: always a new one, which prevents session fixation. Null when the account was disabled
     * or got another password after its password was checked.
     */
    async start(account: Account, from: From): Promise<string | null> {
      const value = randomSecret()
      const created_at = clock.now()
      const created = await storage.sessions.create(
        {
          hash: sha256(value),
          account_id: account.id,
          password_hash: account.password_hash,
          created_at,
          expires_at: created_at + sessionLifetime,
        },
        auditEntry(clock, byAccount(account, from), 'sign_in'),
      )
      return created ? value : null
    },
    find: (value: string): Promise<Account | null> =>
      storage.sessions.findAccount(sha256(value), clock.now()),
    /** For a sign-out, and for a new sign-in in the same browser, which has no entry (`by` null). */
    async end(value: string, by: By | null): Promise<void> {
      await storage.sessions.end(sha256(value), by ? auditEntry(clock, by, 'sign_out') : undefined)
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>
