import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { print } from './shared/output.ts'

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'bring the database schema up to date; every other command that opens the database does it too',
    )
    .option(
      '--citus',
      'also distribute the tables over the Citus workers; TILLGATE_DATABASE is the coordinator',
    )
    .option('--json', 'print the schema number before and after as JSON')
    .action(async ({ json, citus = false }: { json?: boolean; citus?: boolean }) => {
      const config = readConfig()
      const { migrate } = await import('../storage/open.ts')
      const { todo, ...numbers } = await migrate(config.database, { ...config, citus })
      const { from, to } = numbers
      const done = from === to ? `schema ${to} is up to date` : `schema ${from} → ${to}`
      print(json, { ...numbers, ...(todo && { todo }) }, [done, ...asked(todo)].join('\n'))
    })
}

/** How a superuser completes it. */
const asked = (todo: readonly string[] = []): string[] =>
  todo.length === 0 ? [] : ['run as a superuser on the coordinator:', ...todo.map(sql => `  ${sql};`)]
