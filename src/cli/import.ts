import type { Command } from 'commander'
import type { ImportOptions } from './import/run.ts'

export function registerImport(program: Command): void {
  program
    .command('import')
    .description(
      'load records (NDJSON, one store, item or order per line) in batches; a second run changes nothing',
    )
    .argument('<file>', 'a file, compressed if its name ends in .gz, or - for standard input')
    .option('--dry-run', 'check every line and store nothing')
    .option('--json', 'print the counts as JSON')
    .action(async (file: string, options: ImportOptions) => {
      // Loaded on demand: no other command needs the schemas of the records.
      const { runImport } = await import('./import/run.ts')
      await runImport(file, options)
    })
}
