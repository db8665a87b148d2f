import { Command } from 'commander'
import { createRandom } from '../src/demo/random.ts'
import { backup } from './backup.ts'
import { changes } from './changes/changes.ts'
import { connectionStorm } from './connection-storm.ts'
import { crash } from './crash.ts'
import { diskFull } from './disk-full.ts'
import { ingestMemory } from './ingest-memory.ts'
import { input } from './input.ts'
import { mirror } from './mirror.ts'
import { overload, overloadByReaders } from './overload.ts'
import { type Result, writeReport } from './report.ts'
import { rollingRestart } from './rolling-restart.ts'
import { revocation } from './revocation.ts'
import { shutdown } from './shutdown.ts'
import { slowClients } from './slow-clients.ts'
import type { EngineName, Scenario } from './trial.ts'
import { webhooks } from './webhooks/webhooks.ts'

/** `npm run torture`: the long versions of test/faults and test/attacks; writes their figures to docs/reliability.md. */

const scenarios: readonly Scenario[] = [
  crash,
  diskFull,
  overload,
  overloadByReaders,
  connectionStorm,
  slowClients,
  shutdown,
  rollingRestart,
  backup,
  ingestMemory,
  changes,
  mirror,
  webhooks,
  input,
  revocation,
]

interface Options {
  minutes: string
  engine: string
  only: string
  seed: string
  report: boolean
}

const names = scenarios.map(({ name }) => name).join(', ')
const values = new Command('npm run torture --')
  .option('--minutes <n>', 'how long, over all scenarios', '60')
  .option('--engine <name>', 'sqlite, postgres or both', 'both')
  .option('--only <scenario>', `one of ${names}`, '')
  .option(
    '--seed <n>',
    'repeats the choices of an earlier run',
    String(Math.floor(Math.random() * 1_000_000)),
  )
  .option('--no-report', 'print the figures only, for a short trial')
  .parse()
  .opts<Options>()

const engines = values.engine === 'both' ? ['sqlite', 'postgres'] : [values.engine]
const minutes = Number(values.minutes)
const seed = Number(values.seed)
const chosen = scenarios.filter(({ name }) => values.only === '' || name === values.only)
if (!(minutes > 0) || !Number.isSafeInteger(seed) || chosen.length === 0 || !isEngine(engines)) {
  console.error(
    `torture: --minutes is a number above 0, --seed a whole number, --engine sqlite, postgres or both, --only one of ${names}`,
  )
  process.exit(2)
}

const runs = chosen.flatMap(scenario =>
  scenario.engines.filter(engine => engines.includes(engine)).map(engine => ({ scenario, engine })),
)
const shares = runs.reduce((sum, { scenario }) => sum + scenario.share, 0)
const results: Result[] = []
for (const { scenario, engine } of runs) {
  const began = performance.now()
  const until = began + (minutes * 60_000 * scenario.share) / shares
  const name = `${scenario.name} (${engine})`
  console.log(`${name}: seed ${seed}, up to ${Math.round((until - began) / 1000)} s`)
  const outcome = await scenario.run({
    engine,
    random: createRandom(seed, 0),
    rounds: scenario.rounds,
    goesOn: () => performance.now() < until,
    busyMachine: false,
    pause: 0,
    say: text => console.log(`  ${text}, ${Math.round((performance.now() - began) / 1000)} s`),
  })
  const result = {
    name: scenario.name,
    engine,
    seed,
    seconds: (performance.now() - began) / 1000,
    ...outcome,
  }
  results.push(result)
  // After each scenario: the next one may take an hour.
  if (values.report) await writeReport([result])
  console.log(`  tried: ${outcome.tried}`)
  console.log(`  found: ${outcome.found}`)
  for (const problem of outcome.broken) console.log(`  BROKEN: ${problem}`)
}
process.exitCode = results.some(({ broken }) => broken.length > 0) ? 1 : 0

function isEngine(names: string[]): names is EngineName[] {
  return names.every(name => name === 'sqlite' || name === 'postgres')
}
