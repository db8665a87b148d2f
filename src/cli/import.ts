import type { Command } from 'commander'
import type { ImportOptions } from './import/run.ts'

export function registerImport(program: Command): void {
  program
    .command('import')
    .description(
      'load records (NDJSON, one store, item or order a line) in batches; running it again changes nothing',
    )
    .argument('<file>', 'a file, compressed if its name ends in .gz, or - for standard input')
    .option('--dry-run', 'check every line and store nothing')
    .option('--json', 'print the counts as JSON')
    .action(async (file: string, options: ImportOptions) => {
      // Loaded here: the schemas of all records are too much for every other command.
      const { runImport } = await import('./import/run.ts')
      await runImport(file, options)
    })
}
