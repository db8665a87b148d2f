import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { isPostgresUrl } from '../lib/database-url.ts'
import { withStorage } from './shared/command.ts'
import { print } from './shared/output.ts'

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description('write a consistent copy of the SQLite database to a new file, even while servers use it')
    .argument('<file>', 'path of the copy; its folder must exist, the file must not')
    .option('--json', 'print the path of the copy as JSON')
    .action(async (path: string, { json }: { json?: boolean }) => {
      const file = resolve(path)
      const { database } = readConfig()
      if (!isPostgresUrl(database)) {
        // Opening it would create an empty one, and the backup would look like a good one.
        if (!existsSync(database)) throw new Error(`there is no database ${database} to back up`)
        // A missing folder is often a disk that is not mounted.
        if (!existsSync(dirname(file))) {
          throw new Error(`the folder ${dirname(file)} does not exist; a backup creates no folders`)
        }
      }
      await withStorage(storage => storage.backup(file))
      print(json, { file }, `backed up to ${file}`)
    })
}
