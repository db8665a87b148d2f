import { resolve } from 'node:path'
import type { Command } from 'commander'
import { print, withStorage } from './shared/command.ts'

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description('write a consistent copy of the database to a new file, even while servers use it')
    .argument('<file>', 'path of the copy; the file must not exist yet')
    .option('--json', 'print the path of the copy as JSON')
    .action(async (path: string, { json }: { json?: boolean }) => {
      const file = resolve(path)
      await withStorage(storage => storage.backup(file))
      print(json, { file }, `backed up to ${file}`)
    })
}
