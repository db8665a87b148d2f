import type { Command } from 'commander'
import { systemClock } from '../lib/clock.ts'
import { byCommand, withStoredData } from './shared/command.ts'
import { print } from './shared/output.ts'

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('manage the keys that sign access tokens')

  keys
    .command('rotate')
    .description('sign with a new key; issued tokens stay valid until they expire')
    .option('--abandon', 'for a leaked key: invalidate every issued token; restart the servers afterwards')
    .option('--json', 'print the id of the new key as JSON')
    .action(async ({ json, abandon = false }: { json?: boolean; abandon?: boolean }) => {
      const { createKeys } = await import('../domain/keys.ts')
      const { id } = await withStoredData(storage =>
        createKeys({ storage, clock: systemClock }).rotate(byCommand(), { abandon }),
      )
      print(json, { kid: id }, `new tokens are signed with the key ${id}`)
    })
}
