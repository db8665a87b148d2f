import type { Command } from 'commander'
import type { CopyOptions } from './copy/run.ts'

export function registerCopy(program: Command): void {
  program
    .command('copy')
    .description(
      'copy everything to another database, for example from SQLite to PostgreSQL, and compare the two',
    )
    .requiredOption('--from <database>', 'a SQLite file or a postgres:// URL; it is only read')
    .requiredOption('--to <database>', 'an empty database, or an earlier copy to bring up to date')
    .option('--check', 'only compare the two, and copy nothing')
    .option('--json', 'print the counts as JSON')
    .action(async (options: CopyOptions) => {
      // Loaded on demand: no other command needs both engines.
      const { runCopy } = await import('./copy/run.ts')
      await runCopy(options)
    })
}
