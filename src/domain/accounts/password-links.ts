import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomSecret } from '../../lib/ids.ts'
import { windowEnd } from '../../lib/window.ts'
import { type Account, platformOwner, type Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, byAnonymous, type By, type From } from '../audit/audit.ts'
import { type Accounts, checkPassword } from './accounts.ts'
import type { BrandService } from '../brand/brand.ts'
import type { Logos } from '../brand/logos.ts'
import type { Mail } from './mail.ts'
import { passwordMail } from './password-mail.ts'

/** Seconds: an operator hands the link over, and the person uses it the next day. */
export const passwordLinkLifetime = 48 * 3600

/** Mails to one account, so that strangers cannot fill its mailbox. */
const mailsPerHour = 3

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
  mail,
  brand,
  logos,
  notice,
}: {
  storage: Pick<Storage, 'accounts' | 'artifacts' | 'throttles'>
  clock: Clock
  issuer: string
  accounts: Accounts
  /** Null: an operator hands the links over. */
  mail: Mail | null
  brand: Pick<BrandService, 'refresh'>
  logos: Pick<Logos, 'find'>
  /** Called with why a mail was not sent. */
  notice(reason: string): void
}) {
  async function find(token: string): Promise<Account | null> {
    const link = await storage.artifacts.find(kind, sha256(token))
    if (!link || link.expires_at <= clock.now()) return null
    const { account_id, replaces } = JSON.parse(link.payload) as Payload
    const account = await storage.accounts.find(account_id)
    return account?.disabled_at === null && sha256(account.password_hash) === replaces ? account : null
  }

  async function create({ id: account_id, password_hash }: Account, by: By): Promise<string> {
    const token = randomSecret()
    const payload = JSON.stringify({ account_id, replaces: sha256(password_hash) } satisfies Payload)
    const entry = auditEntry(clock, by, 'password_link_created', { account_id })
    await storage.artifacts.put(kind, sha256(token), payload, clock.now() + passwordLinkLifetime, entry)
    return `${issuer}/password/${token}`
  }

  /** False when the mail server refuses it. */
  async function send({ email }: Account, link: string): Promise<boolean> {
    if (!mail) return false
    const shown = await brand.refresh()
    const logo = shown.logo === null ? null : await logos.find(platformOwner)
    const hours = passwordLinkLifetime / 3600
    const message = passwordMail({ link, hours, host: new URL(issuer).host, brand: shown, logo })
    return mail.send({ to: email, ...message }).then(
      () => true,
      error => {
        notice(reasonOf(error))
        return false
      },
    )
  }

  return {
    canMail: mail !== null,
    /** Returns the address, or null when it was mailed to the account. */
    async give(account: Account, by: By): Promise<string | null> {
      const link = await create(account, by)
      return (await send(account, link)) ? null : link
    },
    /**
     * For a person who has forgotten the password. Whether the email has an account shows neither in the answer nor in
     * its time: the work is not waited for.
     */
    forgotten(email: string, from: From): void {
      const work = async () => {
        const account = await accounts.findByEmail(email)
        if (!account || account.disabled_at !== null) return
        const now = clock.now()
        const sent = await storage.throttles.hit(`password-mail ${account.id}`, now, windowEnd(now, 3600))
        if (sent > mailsPerHour) return
        await send(account, await create(account, byAnonymous(from)))
      }
      work().catch(error => notice(reasonOf(error)))
    },
    /** The account whose password the link sets; null for a link that was used, has expired or never existed. */
    find,
    /** False when the link no longer works; an unsuitable password leaves it usable. */
    async use(token: string, password: string, from: From): Promise<boolean> {
      checkPassword(password)
      const account = await find(token)
      // Of parallel calls one removes it.
      if (!account || !(await storage.artifacts.remove(kind, sha256(token)))) return false
      return accounts.setPassword(account, password, byAccount(account, from))
    },
  }
}

/** Without the message of the library, which may name the address. */
const reasonOf = (error: { code?: string; responseCode?: number; message?: string }): string =>
  [error.code ?? error.message, error.responseCode].filter(part => part !== undefined).join(' ')

export type PasswordLinks = ReturnType<typeof createPasswordLinks>
