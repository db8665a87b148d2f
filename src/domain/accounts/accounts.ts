import type { Clock } from '../../lib/clock.ts'
import { randomId, randomSecret } from '../../lib/ids.ts'
import type { Account, AuditEntry, Role, Storage } from '../../storage/port/index.ts'
import { auditEntry, byAccount, type By, type From } from '../audit/audit.ts'
import { isEmail, longestEmail, normalizeEmail } from './email.ts'
import { InputError } from '../input-error.ts'
import { hashPassword, verifyDummy, verifyPassword } from './passwords.ts'
import { createRefusedSignIns } from './refused-sign-ins.ts'

interface NewAccount {
  email: string
  role: Role
  password: string
}

/** In characters. The maximum is far above any passphrase; it keeps a request from hashing megabytes. */
export const passwordLength = { least: 10, most: 1024 }

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'accounts' | 'audit' | 'stores' | 'throttles'>
  clock: Clock
}) {
  const recordRefusal = createRefusedSignIns({ storage, clock })

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

  async function add(account: Account, entry: AuditEntry): Promise<Account> {
    if (await storage.accounts.create(account, entry)) return account
    throw taken(account.email)
  }

  async function create(input: NewAccount, by: By): Promise<Account> {
    const account = await prepare(input)
    const about = { account_id: account.id, detail: account.role }
    return add(account, auditEntry(clock, by, 'account_created', about))
  }

  /** Ends the account's sessions too. False when it has another password than `account` by now. */
  async function setPassword(account: Account, password: string, by: By): Promise<boolean> {
    checkPassword(password)
    const entry = auditEntry(clock, by, 'password_changed', { account_id: account.id })
    const replacement = { password_hash: await hashPassword(password), replaces: account.password_hash }
    return storage.accounts.setPassword(account.id, replacement, entry)
  }

  return {
    create,
    setPassword,

    /** An account whose owner sets the password with a link. Nobody knows the password that it begins with. */
    createWithoutPassword(input: Omit<NewAccount, 'password'>, by: By): Promise<Account> {
      return create({ ...input, password: randomSecret() }, by)
    },

    /** Null for an unknown email, a wrong password and a disabled account, each after the same work. */
    async signIn(email: string, password: string, from: From): Promise<Account | null> {
      const account = await storage.accounts.findByEmail(normalizeEmail(email))
      const right = account
        ? await verifyPassword(account.password_hash, password)
        : await verifyDummy(password)
      if (account && right && account.disabled_at === null) return account
      await recordRefusal(account?.id ?? null, from)
      return null
    },

    /** Records a sign-in with the right password whose account was disabled or changed before the session began. */
    signInFailed: (account: Account, from: From): Promise<void> => recordRefusal(account.id, from),

    /** Open registration, when the operator allows it: always as a developer. */
    async signUp(email: string, password: string, from: From): Promise<Account> {
      const account = await prepare({ email, role: 'developer', password })
      // The platform named this email as a store's merchant, so it belongs to that merchant, even without an account.
      if ((await storage.stores.ofMerchant(account.email)).length > 0) throw taken(account.email)
      const by = byAccount(account, from)
      return add(
        account,
        auditEntry(clock, by, 'account_created', { account_id: account.id, detail: 'sign-up' }),
      )
    },

    findByEmail: (email: string): Promise<Account | null> =>
      storage.accounts.findByEmail(normalizeEmail(email)),

    /**
     * Disabling ends the account's sessions and the access that it gave to apps, at once; enabling restores neither.
     * False when nothing changed. An account cannot disable itself, and the last enabled operator stays, because nobody
     * could undo it on the pages. `apps`: also disable the apps that the account registered.
     */
    async setDisabled(
      account: Account,
      disabled: boolean,
      by: By,
      { apps = false }: { apps?: boolean } = {},
    ): Promise<boolean> {
      if (disabled && by.actor_kind === 'account' && by.actor_id === account.id) {
        throw new InputError('account', 'you cannot disable your own account')
      }
      const now = clock.now()
      const entry = auditEntry(clock, by, disabled ? 'account_disabled' : 'account_enabled', {
        account_id: account.id,
      })
      const appEntry = (app_id: string) => auditEntry(clock, by, 'app_disabled', { app_id })
      const outcome = await storage.accounts.setDisabled(
        account.id,
        disabled ? now : null,
        now,
        entry,
        apps ? appEntry : undefined,
      )
      if (outcome !== 'last_operator') return outcome === 'changed'
      throw new InputError(
        'account',
        `${account.email} is the only enabled operator; create or enable another one first`,
      )
    },

    isPasswordOf: (account: Account, password: string): Promise<boolean> =>
      verifyPassword(account.password_hash, password),

    /** A person's own change. Ends all their sessions. */
    async changePassword(account: Account, current: string, password: string, by: By): Promise<void> {
      checkPassword(password)
      const isCurrent = await verifyPassword(account.password_hash, current)
      if (!isCurrent || !(await setPassword(account, password, by))) {
        throw new InputError('current', 'this is not your current password')
      }
    },
  }
}

const taken = (email: string): InputError =>
  new InputError('email', `an account with the email ${email} already exists`)

function checkEmail(email: string): string {
  const address = normalizeEmail(email)
  if (address.length > longestEmail) {
    throw new InputError(
      'email',
      `the email has ${address.length} characters; the maximum is ${longestEmail}`,
    )
  }
  if (!isEmail(address)) {
    throw new InputError('email', `the email ${JSON.stringify(email)} does not have the form name@domain`)
  }
  return address
}

export function checkPassword(password: string): void {
  const { length } = [...password]
  const { least, most } = passwordLength
  if (length < least || length > most) {
    throw new InputError(
      'password',
      `the password has ${length} characters; it must have ${least} to ${most}`,
    )
  }
}
