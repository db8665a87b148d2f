import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApps } from '../../src/domain/apps/apps.ts'
import { createRandom } from '../../src/demo/random.ts'
import { systemClock as clock } from '../../src/lib/clock.ts'
import { openStorage } from '../../src/storage/open.ts'
import { byTest } from '../../test/helpers/by.ts'
import { type Node, startNode } from '../../test/helpers/nodes.ts'
import { freePort } from '../../test/helpers/ports.ts'
import { tokenOf } from '../../test/helpers/tills.ts'
import { prepareSite, type Site } from '../site.ts'
import type { Outcome, Scenario, Trial } from '../trial.ts'
import { type Figures, type Place, playHistory } from './history.ts'

/** Histories that run at the same time, each with stores of its own, while the nodes are killed and restarted. */
const atOnce = 20
const storesOfHistory = 2
/** Histories on one database: the list of heads and the audit log grow with the stores. */
const historiesPerDatabase = 200

/** One round: one generated history of two stores. */
export const changes: Scenario = {
  name: 'changes',
  engines: ['sqlite', 'postgres'],
  rounds: 1000,
  share: 4,
  run,
}

interface Totals extends Figures {
  histories: number
  killed: number
  restarted: number
  database: number
}

async function run(trial: Trial): Promise<Outcome> {
  const broken: string[] = []
  const sum: Totals = {
    histories: 0,
    killed: 0,
    restarted: 0,
    database: 0,
    batches: 0,
    requests: 0,
    entries: 0,
    walks: 0,
    failed: 0,
  }
  while (sum.histories < trial.rounds && trial.goesOn() && broken.length === 0) {
    const rounds = Math.min(historiesPerDatabase, trial.rounds - sum.histories)
    broken.push(...(await onOneDatabase(trial, rounds, sum)))
  }
  const database = trial.engine === 'postgres' ? `, the database ${sum.database} times` : ''
  return {
    tried:
      `${sum.histories} generated histories (new, changed, corrected, stale, back-dated and moved orders and items) by writers on two ` +
      `nodes, with clients that stop and resume anywhere; meanwhile a node was killed ${sum.killed} times and restarted ${sum.restarted} times${database}`,
    found:
      `every client ended with exactly the orders and items of the server, with the same receipts, and saw no number appear behind one that it had seen; ` +
      `${sum.batches} batches, ${sum.entries} entries read, ${sum.requests} requests, of which ${sum.failed} got no answer (the client stopped, or the node was down); 409 only after a client asked for more kinds (${sum.walks} times)`,
    broken,
  }
}

async function onOneDatabase(trial: Trial, rounds: number, sum: Totals): Promise<string[]> {
  const site = await prepareSite(trial.engine, { stores: [1] })
  const ports = [await freePort(), await freePort()]
  const bases = ports.map(port => `http://127.0.0.1:${port}`)
  const env = {
    TILLGATE_BASE_URL: bases[0] as string,
    TILLGATE_LOG_LEVEL: 'fatal',
    // A node must also start while the others keep the database busy.
    TILLGATE_DATABASE_CONNECT_TIMEOUT: '30000',
  }
  const start = (i: number): Promise<Node> => startNode(site.cli, { ...env, PORT: String(ports[i]) })
  const nodes = await Promise.all(ports.map((_, i) => start(i)))
  const storage = await openStorage(site.database.url)
  const apps = createApps({ storage, clock })
  const failed = new AbortController()
  const broken: string[] = []
  const players = { running: atOnce }
  let started = 0

  async function play(place: Place): Promise<void> {
    while (started < rounds && trial.goesOn() && broken.length === 0) {
      const n = started++
      const first = 2 + n * storesOfHistory
      const seed = trial.random.between(0, 2 ** 31)
      try {
        const shape = { writers: 3, batches: 6, followers: 2 }
        const figures = await playHistory(createRandom(seed, 0), place, [first, first + 1], shape)
        for (const [name, value] of Object.entries(figures)) sum[name as keyof Figures] += value
        sum.histories++
        if (sum.histories % 20 === 0) trial.say(`${sum.histories} histories`)
      } catch (error) {
        if (broken.length > 0) break
        broken.push(`history ${n}: ${error instanceof Error ? error.message : error}`)
        failed.abort(error)
      }
    }
    players.running--
  }

  try {
    const bearer = {
      tills: await tokenOf(bases[0] as string, site.tills),
      reader: await tokenOf(bases[0] as string, site.reader),
    }
    const place: Place = {
      bases,
      bearer,
      database: site.database.url,
      stopped: failed.signal,
      link: async ids => {
        while (
          !(await apps.authorize(site.reader.client_id, ids.map(BigInt), byTest).then(
            () => true,
            () => false,
          ))
        )
          await sleep(20)
      },
    }
    const playing = Promise.all(Array.from({ length: atOnce }, () => play(place)))
    // At most once a history: on a slow machine the starts would take longer than the histories.
    for (let turn = 0; players.running > 0 && turn < rounds; turn++) {
      await sleep(trial.random.between(1500, 6000))
      const index = turn % nodes.length
      await disturb(trial, site, nodes[index] as Node, sum)
      nodes[index] = await start(index)
    }
    await playing
    broken.push(...site.database.problems())
  } catch (error) {
    failed.abort(error)
    broken.push(error instanceof Error ? error.message : String(error))
  } finally {
    for (const node of nodes) node.process.kill('SIGKILL')
    await storage.close()
    await site.remove()
  }
  return broken
}

/** Ends a node, as a crash or as a rolling restart does, and now and then kills the database. */
async function disturb({ random }: Trial, { database }: Site, node: Node, sum: Totals): Promise<void> {
  if (database.server && random.chance(0.1)) {
    sum.database++
    await database.server.kill('all')
    await database.server.start()
  }
  if (random.chance(0.5)) {
    sum.restarted++
    const [code, signal] = await node.stop()
    if (code !== 0) throw new Error(`a node that was stopped exited with ${signal ?? code}`)
    return
  }
  sum.killed++
  const ended = once(node.process, 'exit')
  node.process.kill('SIGKILL')
  await ended
}
