import type { Command } from 'commander'
import { systemClock } from '../lib/clock.ts'
import { byCommand, withStoredData } from './shared/command.ts'
import { print } from './shared/output.ts'

export function registerFeed(program: Command): void {
  const feed = program.command('feed').description('manage the feed, by which apps follow changes')

  feed
    .command('renew')
    .description('make every app read its stores again, for a database that was restored or copied')
    .option('--json', 'print the new feed as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { renewHistory } = await import('../domain/history.ts')
      const renewed = await withStoredData(storage =>
        renewHistory({ storage, clock: systemClock }, byCommand()),
      )
      print(
        json,
        { feed: renewed },
        `the feed is now ${renewed}; apps that follow changes read their stores again`,
      )
    })
}
