import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomSecret } from '../../lib/ids.ts'
import type { Account, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type By, type From } from '../audit/audit.ts'
import { type Accounts, checkPassword } from './accounts.ts'

/** Seconds: an operator hands the link over, and the person uses it the next day. */
export const passwordLinkLifetime = 48 * 3600

const kind = 'PasswordLink'

interface Payload {
  account_id: string
  /** A hash of the account's password hash: the link ends with the password that it replaces. */
  replaces: string
}

/** One-time links with which a person sets a password: a new account's first one, or a forgotten one. */
export function createPasswordLinks({
  storage,
  clock,
  issuer,
  accounts,
}: {
  storage: Pick<Storage, 'accounts' | 'artifacts'>
  clock: Clock
  issuer: string
  accounts: Accounts
}) {
  async function find(token: string): Promise<Account | null> {
    const link = await storage.artifacts.find(kind, sha256(token))
    if (!link || link.expires_at <= clock.now()) return null
    const { account_id, replaces } = JSON.parse(link.payload) as Payload
    const account = await storage.accounts.find(account_id)
    return account?.disabled_at === null && sha256(account.password_hash) === replaces ? account : null
  }

  return {
    /** Returns the address. */
    async create({ id: account_id, password_hash }: Account, by: By): Promise<string> {
      const token = randomSecret()
      const payload = JSON.stringify({ account_id, replaces: sha256(password_hash) } satisfies Payload)
      const entry = auditEntry(clock, by, 'password_link_created', { account_id })
      await storage.artifacts.put(kind, sha256(token), payload, clock.now() + passwordLinkLifetime, entry)
      return `${issuer}/password/${token}`
    },
    /** The account whose password the link sets; null for a link that was used, has expired or never existed. */
    find,
    /** False when the link no longer works; an unsuitable password leaves it usable. */
    async use(token: string, password: string, from: From): Promise<boolean> {
      checkPassword(password)
      const account = await find(token)
      // Of parallel calls one removes it.
      if (!account || !(await storage.artifacts.remove(kind, sha256(token)))) return false
      await accounts.setPassword(account, password, byAccount(account, from))
      return true
    },
  }
}

export type PasswordLinks = ReturnType<typeof createPasswordLinks>
