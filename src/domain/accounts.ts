import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/ids.ts'
import type { Account, Role, Storage } from '../storage/port.ts'
import { isEmail, longestEmail, normalizeEmail } from './email.ts'
import { InputError } from './input-error.ts'
import { hashPassword, verifyNothing, verifyPassword } from './passwords.ts'

interface NewAccount {
  email: string
  role: Role
  password: string
}

const shortestPassword = 10
// Far above any passphrase; it only keeps a request from hashing megabytes.
const longestPassword = 1024

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts({ storage, clock }: { storage: Pick<Storage, 'accounts'>; clock: Clock }) {
  return {
    async create({ email, role, password }: NewAccount): Promise<Account> {
      const address = checkEmail(email)
      checkPassword(password)
      const account: Account = {
        id: randomId(),
        email: address,
        role,
        password_hash: await hashPassword(password),
        created_at: clock.now(),
        disabled_at: null,
      }
      if (!(await storage.accounts.create(account))) {
        throw new InputError('email', `an account with the email ${address} already exists`)
      }
      return account
    },

    /** Null for an unknown email, a wrong password and a disabled account alike, after the same work. */
    async signIn(email: string, password: string): Promise<Account | null> {
      const account = await storage.accounts.findByEmail(normalizeEmail(email))
      const right = account
        ? await verifyPassword(account.password_hash, password)
        : await verifyNothing(password)
      return account && right && account.disabled_at === null ? account : null
    },
  }
}

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
  if (length < shortestPassword || length > longestPassword) {
    throw new InputError(
      'password',
      `the password has ${length} characters; it must have ${shortestPassword} to ${longestPassword}`,
    )
  }
}
