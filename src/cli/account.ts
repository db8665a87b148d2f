import { type Command, Option } from 'commander'
import { systemClock } from '../lib/clock.ts'
import type { Role } from '../storage/port.ts'
import { readPassword } from './password.ts'
import { byCommand, print, withStorage } from './run.ts'

const roles: readonly Role[] = ['merchant', 'developer', 'operator']

interface CreateOptions {
  email: string
  role: Role
  passwordStdin?: boolean
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
      // Loaded here: it brings the password hash's native code.
      const { createAccounts } = await import('../domain/accounts.ts')
      const { id, email: address } = await withStorage(storage =>
        createAccounts({ storage, clock: systemClock }).create({ email, role, password }, byCommand()),
      )
      print(json, { id, email: address, role }, `created the ${role} account ${address}`)
    })
}
