import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomSecret } from '../../lib/ids.ts'
import type { Account, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type By, type From } from '../audit/audit.ts'

/** Long enough for a working day, and over before the next one. */
export const sessionLifetime = 12 * 3600

/** Of the User-Agent header, in characters. */
const longestBrowser = 300

/** Sessions are in the database, so that signing out ends them on every node; only a hash of the cookie is stored. */
export function createSessions({ storage, clock }: { storage: Pick<Storage, 'sessions'>; clock: Clock }) {
  return {
    /**
     * Returns the cookie's value: always a new one, which prevents session fixation. Null when the account was disabled
     * or got another password after its password was checked.
     */
    async start(account: Account, from: From, browser: string | null = null): Promise<string | null> {
      const value = randomSecret()
      const created_at = clock.now()
      const created = await storage.sessions.create(
        {
          hash: sha256(value),
          account_id: account.id,
          password_hash: account.password_hash,
          created_at,
          expires_at: created_at + sessionLifetime,
          address: from.address,
          browser: browser?.slice(0, longestBrowser) ?? null,
        },
        auditEntry(clock, byAccount(account, from), 'sign_in'),
      )
      return created ? value : null
    },
    find: (value: string): Promise<Account | null> =>
      storage.sessions.findAccount(sha256(value), clock.now()),
    /** Newest first; `id` names a session on a page, and `isThis` is the one of the cookie's value. */
    async list(account: Account, value: string) {
      const sessions = await storage.sessions.ofAccount(account.id, clock.now())
      return sessions.map(({ hash, ...session }) => ({
        ...session,
        id: hash.slice(0, 16),
        isThis: hash === sha256(value),
      }))
    },
    /** Ends a session by the `id` of `list`; false when the account has none of that id. */
    async endById(account: Account, id: string, by: By): Promise<boolean> {
      const sessions = await storage.sessions.ofAccount(account.id, clock.now())
      const found = sessions.find(({ hash }) => hash.slice(0, 16) === id)
      return found ? storage.sessions.end(found.hash, auditEntry(clock, by, 'sign_out')) : false
    },
    /** Ends all sessions of the account but the one of the cookie's value. */
    endOthers: (account: Account, value: string, by: By): Promise<number> =>
      storage.sessions.endOthers(account.id, sha256(value), auditEntry(clock, by, 'sessions_ended')),
    /** For a sign-out, and for a new sign-in in the same browser, which has no entry (`by` null). */
    async end(value: string, by: By | null): Promise<void> {
      await storage.sessions.end(sha256(value), by ? auditEntry(clock, by, 'sign_out') : undefined)
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>
