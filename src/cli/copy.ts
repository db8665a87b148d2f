import type { Command } from 'commander'
import type { CopyOptions } from './copy/run.ts'

export function registerCopy(program: Command): void {
  program
    .command('copy')
    .description('move everything to another database, such as from SQLite to PostgreSQL, and compare both')
    .requiredOption('--from <database>', 'a SQLite file or a postgres:// URL; it is not changed')
    .requiredOption('--to <database>', 'an empty database, or an earlier copy, which is brought up to date')
    .option('--check', 'only compare the two; nothing is copied')
    .option('--json', 'print the counts as JSON')
    .action(async (options: CopyOptions) => {
      // Loaded here: no other command needs both engines.
      const { runCopy } = await import('./copy/run.ts')
      await runCopy(options)
    })
}
