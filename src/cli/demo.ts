import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { localAddress, settlePort } from '../lib/address.ts'
import { isPostgresUrl } from '../lib/database-url.ts'
import { systemClock } from '../lib/clock.ts'
import { withStorage } from './shared/command.ts'
import { note, print } from './shared/output.ts'

interface Options {
  stores: number
  orders: number
  days: number
  seed: number
  serve: boolean
  json?: boolean
}

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('fill an empty database with demo data, print what to try, and serve it')
    .option('--stores <n>', 'how many stores', whole(1, 1000), 6)
    .option('--orders <n>', 'how many orders, over all stores', whole(1, 100_000_000), 6000)
    .option('--days <n>', 'how many days of orders, up to today', whole(1, 3650), 90)
    .option('--seed <n>', 'a different seed gives different data', whole(0, Number.MAX_SAFE_INTEGER), 1)
    .option('--no-serve', 'fill the database and exit')
    .option('--json', 'print the logins, client ids and secrets as JSON')
    .action(async ({ serve: andServe, json, ...size }: Options) => {
      const config = await withFixedPort(readConfig())
      if (config.database === ':memory:') {
        throw new Error('a demo in :memory: is lost as soon as it is filled; set TILLGATE_DATABASE to a file')
      }
      // Loaded on demand: no other command needs the generator or the server.
      const { fillDemo } = await import('./demo/fill.ts')
      const { demoGuide } = await import('./demo/guide.ts')
      const filled = await withStorage(async storage => {
        if (!(await storage.isEmpty())) throw alreadyFilled(config)
        return fillDemo(storage, { ...size, end: lastHour() })
      })
      const base_url = config.base_url ?? localAddress(config.host, config.port)
      print(json, filled.demo, demoGuide(filled, base_url))
      if (!andServe) {
        if (!json) note('\nRun "tillgate serve" to serve it.')
        return
      }
      const { serve } = await import('../main.ts')
      await serve(config)
    })
}

function whole(min: number, max: number): (text: string) => number {
  return text => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** The guide names the port, so port 0 must become a number before the server listens. */
const withFixedPort = async (config: Config): Promise<Config> => ({
  ...config,
  port: await settlePort(config.host, config.port),
})

/** Rounded to the hour, so that two demos of the same hour and seed have the same orders. */
const lastHour = (): number => Math.floor(systemClock.now() / 3600) * 3600

/** Demo data could not be separated from real data again. */
function alreadyFilled({ database }: Config): Error {
  // A URL may hold a password.
  const which = isPostgresUrl(database) ? 'the database' : `the database ${database}`
  return new Error(
    `${which} already holds data; run "tillgate serve" to serve it, or set TILLGATE_DATABASE to a new file for a new demo`,
  )
}
