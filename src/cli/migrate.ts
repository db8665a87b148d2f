import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { print } from './shared/output.ts'

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'bring the database schema up to date; every other command that opens the database does it too',
    )
    .option('--citus', 'also distribute the tables over the Citus workers, by store')
    .option('--json', 'print the schema number before and after as JSON')
    .action(async ({ json, citus = false }: { json?: boolean; citus?: boolean }) => {
      const config = readConfig()
      const { migrate } = await import('../storage/open.ts')
      const { from, to } = await migrate(config.database, { ...config, citus })
      print(json, { from, to }, from === to ? `schema ${to} is up to date` : `schema ${from} → ${to}`)
    })
}
