import { Command } from 'commander'
import { make } from './make.ts'
import { measure } from './measure.ts'

/** `npm run bench:size`: data sets with many stores, and what they cost. */

const smallStores = 1000

const program = new Command('npm run bench:size --')

program
  .command('make')
  .description('fill an empty database: a file of SQLite or the URL of a PostgreSQL database')
  .requiredOption('--database <address>', 'what TILLGATE_DATABASE would be')
  .option('--stores <n>', 'how many stores', Number, 100_000)
  .option('--orders <n>', 'how many orders each', Number, 20)
  .action(({ database, stores, orders }) => make(database, { stores, orders }))

program
  .command('measure')
  .description('compare a large set with a small one')
  .requiredOption('--small <address>', 'a set of 1,000 stores')
  .requiredOption('--database <address>', 'the large set')
  .option('--stores <n>', 'how many stores the large set has', Number, 100_000)
  .option('--only <part>', 'pages, lists, calls, requests or ingest', '')
  .action(({ small, database, stores, only }) =>
    measure(
      { database: small, shape: { stores: smallStores, orders: 0 } },
      { database, shape: { stores, orders: 0 } },
      only,
    ),
  )

await program.parseAsync()
