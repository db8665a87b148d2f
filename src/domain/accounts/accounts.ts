import type { Clock } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import type { Account, AuditEntry, Role, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type By, type From } from '../audit/audit.ts'
import { isEmail, longestEmail, normalizeEmail } from './email.ts'
import { InputError } from '../input-error.ts'
import { hashPassword, verifyNothing, verifyPassword } from './passwords.ts'
import { createRefusedSignIns } from './refused-sign-ins.ts'

interface NewAccount {
  email: string
  role: Role
  password: string
}

/** In characters. The most is far above any passphrase; it only keeps a request from hashing megabytes. */
export const passwordLength = { least: 10, most: 1024 }

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'accounts' | 'audit' | 'stores' | 'throttles'>
  clock: Clock
}) {
  const tellRefused = createRefusedSignIns({ storage, clock })

  async function prepare({ email, role, password }: NewAccount): Promise<Account> {
    const address = checkEmail(email)
    checkPassword(password)
    return {
      id: randomId(),
      email: address,
      role,
      password_hash: await hashPassword(password),
      created_at: clock.now(),
      disabled_at: null,
    }
  }

  async function add(account: Account, told: AuditEntry): Promise<Account> {
    if (await storage.accounts.create(account, told)) return account
    throw taken(account.email)
  }

  return {
    async create(input: NewAccount, by: By): Promise<Account> {
      const account = await prepare(input)
      const about = { account_id: account.id, detail: account.role }
      return add(account, auditEntry(clock, by, 'account_created', about))
    },

    /** Null for an unknown email, a wrong password and a disabled account alike, after the same work. */
    async signIn(email: string, password: string, from: From): Promise<Account | null> {
      const account = await storage.accounts.findByEmail(normalizeEmail(email))
      const right = account
        ? await verifyPassword(account.password_hash, password)
        : await verifyNothing(password)
      if (account && right && account.disabled_at === null) return account
      await tellRefused(account?.id ?? null, from)
      return null
    },

    /** A sign-in with the right password that came to nothing: the account was disabled, or changed, meanwhile. */
    signInLost: (account: Account, from: From): Promise<void> => tellRefused(account.id, from),

    /** The registration that strangers may use when the operator allows it: always of a developer. */
    async signUp(email: string, password: string, from: From): Promise<Account> {
      const account = await prepare({ email, role: 'developer', password })
      // A merchant's, whom the platform has named and who may not have an account yet: nobody else's to take.
      if ((await storage.stores.ofMerchant(account.email)).length > 0) throw taken(account.email)
      const by = byAccount(account, from)
      return add(
        account,
        auditEntry(clock, by, 'account_created', { account_id: account.id, detail: 'sign-up' }),
      )
    },

    find: (id: string): Promise<Account | null> => storage.accounts.find(id),
    findByEmail: (email: string): Promise<Account | null> =>
      storage.accounts.findByEmail(normalizeEmail(email)),

    /**
     * Disabling ends the account's sessions and the access of the apps that it allowed, at once; enabling lets it sign
     * in again and brings nothing else back. False when it was so already. Nobody disables themselves, and one operator
     * stays: there would be nobody left to undo it on the pages. `apps`: with all that the account registered, or
     * with none.
     */
    async setDisabled(
      account: Account,
      disabled: boolean,
      by: By,
      { apps = false }: { apps?: boolean } = {},
    ): Promise<boolean> {
      if (disabled && by.actor_kind === 'account' && by.actor_id === account.id) {
        throw new InputError('account', 'nobody can disable their own account')
      }
      const now = clock.now()
      const told = auditEntry(clock, by, disabled ? 'account_disabled' : 'account_enabled', {
        account_id: account.id,
      })
      const tellApp = (app_id: string) => auditEntry(clock, by, 'app_disabled', { app_id })
      const outcome = await storage.accounts.setDisabled(
        ...([account.id, disabled ? now : null, now, told] as const),
        apps ? tellApp : undefined,
      )
      if (outcome !== 'last_operator') return outcome === 'changed'
      throw new InputError(
        'account',
        `${account.email} is the only operator who is enabled; create or enable another one first`,
      )
    },

    /** Ends the account's sessions too. */
    async setPassword(account: Account, password: string, by: By): Promise<void> {
      checkPassword(password)
      const told = auditEntry(clock, by, 'password_changed', { account_id: account.id })
      await storage.accounts.setPassword(account.id, await hashPassword(password), told)
    },
  }
}

const taken = (email: string): InputError =>
  new InputError('email', `an account with the email ${email} already exists`)

function checkEmail(email: string): string {
  const address = normalizeEmail(email)
  if (address.length > longestEmail) {
    throw new InputError('email', `the email has ${address.length} characters; the most is ${longestEmail}`)
  }
  if (!isEmail(address)) {
    throw new InputError('email', `the email ${JSON.stringify(email)} is not of the form name@domain`)
  }
  return address
}

function checkPassword(password: string): void {
  const { length } = [...password]
  const { least, most } = passwordLength
  if (length < least || length > most) {
    throw new InputError(
      'password',
      `the password has ${length} characters; it must have ${least} to ${most}`,
    )
  }
}
