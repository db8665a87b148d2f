import { type Command, Option } from 'commander'
import type { Accounts } from '../domain/accounts/accounts.ts'
import { InputError } from '../domain/input-error.ts'
import { systemClock } from '../lib/clock.ts'
import { formatDatetime } from '../lib/datetime.ts'
import type { Account, Role, Storage } from '../storage/port/index.ts'
import { readPassword } from './shared/password.ts'
import { byCommand, withStorage } from './shared/command.ts'
import { print } from './shared/output.ts'
import { table } from './shared/table.ts'

const roles: readonly Role[] = ['merchant', 'developer', 'operator']

interface CreateOptions extends PasswordOptions {
  role: Role
}

interface PasswordOptions {
  email: string
  passwordStdin?: boolean
  json?: boolean
}

interface ListOptions {
  search?: string
  json?: boolean
}

export function registerAccount(program: Command): void {
  const account = program.command('account').description('manage the accounts that sign in to the pages')

  account
    .command('create')
    .description('create an account; asks for the password on a terminal')
    .requiredOption('--email <email>', 'address to sign in with')
    .addOption(new Option('--role <role>', 'what the account is for').choices(roles).makeOptionMandatory())
    .option('--password-stdin', 'read the password from standard input, one line')
    .option('--json', 'print the account as JSON')
    .action(async ({ email, role, passwordStdin = false, json }: CreateOptions) => {
      const password = await readPassword(passwordStdin)
      const { id, email: address } = await withAccounts(accounts =>
        accounts.create({ email, role, password }, byCommand()),
      )
      print(json, { id, email: address, role }, `created the ${role} account ${address}`)
    })

  account
    .command('list')
    .description('list the accounts, by email')
    .option('--search <text>', 'only accounts with this text in their email, or with this id')
    .option('--json', 'print the accounts as a JSON array')
    .action(async ({ search = '', json }: ListOptions) => {
      const accounts = (await withStorage(storage => listAccounts(storage, search))).map(toRow)
      print(json, accounts, accounts.length > 0 ? table(accounts) : 'no accounts')
    })

  account
    .command('password')
    .description('set a new password and end the account’s sessions; asks for the password on a terminal')
    .requiredOption('--email <email>', 'address of the account')
    .option('--password-stdin', 'read the password from standard input, one line')
    .option('--json', 'print the account as JSON')
    .action(async ({ email, passwordStdin = false, json }: PasswordOptions) => {
      const password = await readPassword(passwordStdin)
      const { id, email: address } = await withAccounts(async accounts => {
        const found = await requireAccount(accounts, email)
        if (!(await accounts.setPassword(found, password, byCommand())))
          throw new Error('somebody else has set a password at this moment; run the command again')
        return found
      })
      print(json, { id, email: address }, `the account ${address} has a new password`)
    })

  const switches = [
    {
      name: 'disable',
      disabled: true,
      description:
        'end an account’s sessions and the access that it gave to apps, and refuse further sign-ins',
    },
    {
      name: 'enable',
      disabled: false,
      description: 'let a disabled account sign in again; apps need a new consent',
    },
  ]
  for (const { name, disabled, description } of switches) {
    account
      .command(name)
      .description(description)
      .requiredOption('--email <email>', 'address of the account')
      .option('--json', 'print the account’s state as JSON')
      .action(async ({ email, json }: { email: string; json?: boolean }) => {
        const { id, email: address } = await withAccounts(async accounts => {
          const found = await requireAccount(accounts, email)
          await accounts.setDisabled(found, disabled, byCommand())
          return found
        })
        print(json, { id, email: address, disabled }, `the account ${address} is ${name}d`)
      })
  }
}

const withAccounts = async <T>(use: (accounts: Accounts) => Promise<T>): Promise<T> => {
  // Loaded on demand: the password hash has native code, which other commands do not need.
  const { createAccounts } = await import('../domain/accounts/accounts.ts')
  return withStorage(storage => use(createAccounts({ storage, clock: systemClock })))
}

async function requireAccount(accounts: Accounts, email: string): Promise<Account> {
  const found = await accounts.findByEmail(email)
  if (!found) throw new InputError('email', `no account has the email ${JSON.stringify(email)}`)
  return found
}

/** Rows per query. */
const chunk = 1000

async function listAccounts({ browse }: Storage, text: string): Promise<Account[]> {
  const accounts: Account[] = []
  for (;;) {
    const { rows } = await browse.accounts({ text, offset: accounts.length, limit: chunk })
    accounts.push(...rows)
    if (rows.length < chunk) return accounts
  }
}

const toRow = ({ id, email, role, created_at, disabled_at }: Account) => ({
  id,
  email,
  role,
  created_at: formatDatetime(created_at),
  disabled: disabled_at !== null,
})
