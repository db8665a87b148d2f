import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { assertFree, localAddress, settlePort } from '../lib/address.ts'
import { systemClock } from '../lib/clock.ts'
import { note, print } from './shared/output.ts'

interface Options {
  stores: number
  orders: number
  days: number
  seed: number
  reset?: boolean
  live?: boolean
  serve: boolean
  json?: boolean
}

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('fill an empty database with demo data, print what to try, and serve it with an example app')
    .option('--stores <n>', 'how many stores', whole(1, 1000), 6)
    .option('--orders <n>', 'how many orders, over all stores', whole(1, 100_000_000), 6000)
    .option('--days <n>', 'how many days of orders, up to today', whole(1, 3650), 90)
    .option('--seed <n>', 'a different seed gives different data', whole(0, Number.MAX_SAFE_INTEGER), 1)
    .option('--reset', 'delete the demo that the database holds, and start over')
    .option('--live', 'keep selling while it serves: orders, refunds, corrections, late and offline tills')
    .option('--no-serve', 'fill the database and exit')
    .option('--json', 'print the logins, client ids and secrets as JSON')
    .action(
      async ({ serve: andServe, json, reset = false, live = false, ...size }: Options, command: Command) => {
        if (live && !andServe)
          command.error('error: --live sells while the demo serves; leave --no-serve out')
        const given = readConfig()
        if (given.database === ':memory:') {
          throw new Error(
            'a demo in :memory: is lost as soon as it is filled; set TILLGATE_DATABASE to a file',
          )
        }
        const config = await withFixedPort(given)
        if (andServe) await refuseUsedPort(config)
        // Loaded on demand: no other command needs the generator or the server.
        const { openDemo } = await import('./demo/open.ts')
        const demo = await openDemo(config, { ...size, end: lastHour() }, reset)
        if (demo.isKept) note(goesOn(command, demo.saved.options))
        const base_url = config.base_url ?? localAddress(config.host, config.port)
        const { demoGuide } = await import('./demo/guide.ts')
        const { filled, port } = demo.saved
        const show = (site: string | null) => print(json, filled.demo, demoGuide(filled, base_url, site))
        if (!andServe) {
          const { hasLedger, ledgerSite } = await import('./demo/ledger.ts')
          show(hasLedger ? ledgerSite(port) : null)
          if (!json) note('\nRun "tillgate demo" to serve it.')
          return
        }
        const { serveDemo } = await import('./demo/serve.ts')
        await serveDemo(demo, config, { base_url, live, anyPort: given.port === 0, show })
      },
    )
}

function whole(min: number, max: number): (text: string) => number {
  return text => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** Says too which of the given sizes the data does not have. */
function goesOn(command: Command, has: Omit<Options, 'serve'>): string {
  const without = (['stores', 'orders', 'days', 'seed'] as const)
    .filter(name => command.getOptionValueSource(name) === 'cli' && command.opts()[name] !== has[name])
    .map(name => `--${name} needs --reset: the data has ${has[name]}.\n`)
  const text = 'Using the data, logins and secrets of the last run; --reset starts over.\n'
  return text + without.join('')
}

/** The guide names the port, so port 0 must become a number before the server listens. */
const withFixedPort = async (config: Config): Promise<Config> => ({
  ...config,
  port: await settlePort(config.host, config.port),
})

/** Before the database is filled, so that the next attempt can be the first run. */
async function refuseUsedPort({ host, port }: Config): Promise<void> {
  await assertFree(host, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    const other = port < 65_535 ? port + 1 : port - 1
    throw new Error(
      `another program uses port ${port}, perhaps a demo that still runs; stop it, or choose another port: PORT=${other} npx tillgate demo`,
      { cause: error },
    )
  })
}

/** Rounded to the hour, so that two demos of the same hour and seed have the same orders. */
const lastHour = (): number => Math.floor(systemClock.now() / 3600) * 3600
