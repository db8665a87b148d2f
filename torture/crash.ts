import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cli, createCli } from '../test/helpers/cli.ts'
import { type Node, startNode } from '../test/helpers/nodes.ts'
import { freePort } from '../test/helpers/ports.ts'
import { type Clients, createClients } from './acknowledged.ts'
import { createDatabase } from './database.ts'
import { prepareSite, type Site } from './site.ts'
import type { Outcome, Scenario, Trial } from './trial.ts'

/** Rounds on one database: each round checks all of it, so a longer run would take ever longer. */
const roundsPerDatabase = 50
const startLimit = 5000

type Victim = 'the server' | 'the server, while it starts' | 'the database' | 'a session of the database'

export const crash: Scenario = {
  name: 'crash',
  engines: ['sqlite', 'postgres'],
  rounds: 1000,
  share: 10,
  run,
}

async function run(trial: Trial): Promise<Outcome> {
  const killed = new Map<Victim, number>()
  const broken: string[] = []
  const starts: number[] = []
  const sum = { batches: 0, tokens: 0, refreshes: 0, revocations: 0, happened: 0, not: 0 }
  let rounds = 0
  while (rounds < trial.rounds && trial.goesOn() && broken.length === 0) {
    const place = await prepare(trial)
    try {
      for (let i = 0; i < roundsPerDatabase && rounds < trial.rounds && trial.goesOn(); i++) {
        const victim = victimOf(trial)
        const problems = await round(trial, place, victim, starts)
        killed.set(victim, (killed.get(victim) ?? 0) + 1)
        rounds++
        broken.push(...problems.map(problem => `round ${rounds}, ${victim} killed: ${problem}`))
        if (rounds % 20 === 0) trial.say(`${rounds} rounds`)
        if (broken.length > 0) break
      }
      const { lost_answers, ...figures } = place.clients.figures
      for (const [name, value] of Object.entries({ ...figures, ...lost_answers }))
        sum[name as keyof typeof sum] += value
    } finally {
      place.node?.process.kill('SIGKILL')
      await place.site.remove()
    }
  }
  const slowest = Math.max(0, ...starts)
  // The first start opens a database that was closed properly: it shows how fast this machine is now.
  const [first = 0] = starts
  if (slowest > (trial.busyMachine ? Math.max(startLimit, 4 * first) : startLimit))
    broken.push(`ready again after ${Math.round(slowest)} ms; the limit is ${startLimit} ms`)
  return {
    tried: `${rounds} rounds of SIGKILL at a random moment under load: ${[...killed].map(([victim, n]) => `${victim} ${n}×`).join(', ')}`,
    found:
      `all of ${sum.batches} batches, ${sum.tokens} tokens, ${sum.refreshes} refreshes and ${sum.revocations} ` +
      `revocations that were acknowledged are there, nothing is half written, the sales equal the orders` +
      `${trial.engine === 'sqlite' ? ', integrity_check is ok' : ''}; of ${sum.happened + sum.not} refreshes and revocations ` +
      `without an answer ${sum.happened} had taken effect; ready again in ${Math.round(middle(starts))} ms, at most ` +
      `${Math.round(slowest)} ms`,
    broken,
  }
}

const middle = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

interface Place {
  site: Site
  clients: Clients
  env: Record<string, string>
  node: Node | null
}

async function prepare({ engine, random }: Trial): Promise<Place> {
  const database = await createDatabase(engine)
  const port = await freePort()
  const env = {
    PORT: String(port),
    TILLGATE_BASE_URL: `http://127.0.0.1:${port}`,
    TILLGATE_LOG_LEVEL: 'error',
  }
  // Also while the server creates its schema and keys in an empty database.
  const cli = await createCli({ database: database.url })
  await killWhileStarting(cli, env, random.between(0, 1500))
  cli.remove()
  const stores = Array.from({ length: roundsPerDatabase }, (_, i) => 1001 + i)
  const site = await prepareSite(engine, { database, stores, apps: 2 })
  return { site, clients: createClients({ ...site, stores }), env, node: null }
}

function victimOf({ engine, random }: Trial): Victim {
  if (random.chance(0.1)) return 'the server, while it starts'
  if (engine === 'sqlite' || random.chance(0.4)) return 'the server'
  return random.chance(0.5) ? 'the database' : 'a session of the database'
}

async function round(trial: Trial, place: Place, victim: Victim, starts: number[]): Promise<string[]> {
  if (victim === 'the server, while it starts') {
    await stop(place)
    await killWhileStarting(place.site.cli, place.env, trial.random.between(0, 1500))
  }
  place.node ??= await start(place, starts)
  await place.clients.prepare(place.node)
  const stopped = new AbortController()
  const working = place.clients.work(place.node, stopped.signal)
  // Usually after the first batch is stored, sometimes before: that batch waits for the ingest threads to start.
  if (trial.random.chance(0.8)) await firstBatch(place.clients)
  await sleep(trial.random.between(0, 400))
  if (victim === 'the database' || victim === 'a session of the database') {
    await killDatabase(place, victim, trial)
    stopped.abort()
    await working
    starts.push(await untilReady(place.node))
  } else {
    await stop(place)
    stopped.abort()
    await working
    place.node = await start(place, starts)
  }
  return [...place.site.database.problems(), ...(await place.clients.check(place.node))]
}

async function firstBatch({ figures }: Clients): Promise<void> {
  const before = figures.batches
  const deadline = performance.now() + 5000
  while (figures.batches === before && performance.now() < deadline) await sleep(2)
}

async function killDatabase({ site: { database } }: Place, victim: Victim, { random }: Trial): Promise<void> {
  if (victim === 'a session of the database') {
    await database.server?.kill('session')
    // The load goes on: the database ends all its sessions, recovers, and accepts new ones.
    await sleep(random.between(0, 500))
    return
  }
  await database.server?.kill('all')
  await sleep(random.between(0, 200))
  await database.server?.start()
}

async function stop(place: Place): Promise<void> {
  if (place.node === null) return
  const ended = once(place.node.process, 'exit')
  place.node.process.kill('SIGKILL')
  await ended
  place.node = null
}

async function start({ site: { cli }, env }: Place, starts: number[]): Promise<Node> {
  const began = performance.now()
  const node = await startNode(cli, env)
  await untilReady(node)
  starts.push(performance.now() - began)
  return node
}

/** Returns the milliseconds until the server is ready. */
async function untilReady(node: Node): Promise<number> {
  const began = performance.now()
  for (;;) {
    const answer = await fetch(`${node.base}/health/ready`).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return performance.now() - began
    if (performance.now() - began > 30_000) throw new Error('the server was not ready again after 30 s')
    await sleep(10)
  }
}

async function killWhileStarting(cli: Cli, env: Record<string, string>, after: number): Promise<void> {
  const child = cli.start(['serve'], env)
  const ended = once(child, 'exit')
  await sleep(after)
  child.kill('SIGKILL')
  await ended
}
