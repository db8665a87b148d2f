import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { migrate } from '../storage/open.ts'
import { print } from './run.ts'

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database’s schema up to date; every other command does so too')
    .option('--json', 'print the schema’s number before and after as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { from, to } = await migrate(readConfig().database)
      print(json, { from, to }, from === to ? `schema ${to} is up to date` : `schema ${from} → ${to}`)
    })
}
