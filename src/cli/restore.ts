import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { note, print, stoppedNote } from './shared/output.ts'

export function registerRestore(program: Command): void {
  program
    .command('restore')
    .description('put a backup in the place of the SQLite database; stop every server first')
    .argument('<file>', 'a file that "tillgate backup" wrote; it is only read')
    .option('--json', 'print the paths and the schema numbers as JSON')
    .action(async (path: string, { json }: { json?: boolean }) => {
      const { database } = readConfig()
      if (database === ':memory:') {
        throw new Error(
          'a database in :memory: is lost when the command ends; set TILLGATE_DATABASE to a file',
        )
      }
      const { restore } = await import('../storage/open.ts')
      const { from, to, replaced } = await restore(database, resolve(path))
      const migrated = from === to ? '' : `; schema ${from} → ${to}`
      const former = replaced === null ? '' : `; the former database is ${replaced}`
      print(json, { file: database, replaced, from, to }, `restored ${database}${migrated}${former}`)
      if (!json) {
        note('Access that was revoked after the backup works again: docs/operations.md#restore')
        note(stoppedNote)
      }
    })
}
