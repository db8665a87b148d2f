import { setTimeout as sleep } from 'node:timers/promises'
import { createApps } from '../../src/domain/apps/apps.ts'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { systemClock as clock } from '../../src/lib/clock.ts'
import { openStorage } from '../../src/storage/open.ts'
import { byTest } from '../../test/helpers/by.ts'
import { type Node, startNode } from '../../test/helpers/nodes.ts'
import { batchSize, pushBatch, tokenOf } from '../../test/helpers/tills.ts'
import { peakMemory } from '../ingest-memory.ts'
import { prepareSite, type Site } from '../site.ts'
import type { Outcome, Scenario, Trial } from '../trial.ts'
import { type Behaviour, type Receivers, startReceivers } from './receivers.ts'

const allow = '127.0.0.1'
/** Each app has ten endpoints and reads ten stores: a change makes ten calls. */
const apps = 10
const endpointsOfApp = 10
const storesOfApp = 10
const ordersPerSecond = 1000
/** Milliseconds from the answer to a batch to the arrival of its webhook; megabytes of the process. */
const limits = { p99: 1000, memory: 512, arrival: 30_000 }

/** Of the ten endpoints of each app. */
const behaviourOf = (n: number): Behaviour =>
  (['refusing', 'hanging', 'failing'] as const)[n % endpointsOfApp] ?? 'live'

/** One round: a second of load. */
export const webhooks: Scenario = {
  name: 'webhooks',
  engines: ['sqlite', 'postgres'],
  rounds: 180,
  share: 2,
  run,
}

interface Push {
  store_id: number
  sent: number
  acknowledged: number
}

async function run(trial: Trial): Promise<Outcome> {
  const store_ids = Array.from({ length: apps * storesOfApp }, (_, i) => i + 1)
  const site = await prepareSite(trial.engine, { stores: store_ids, apps })
  const receivers = await startReceivers()
  await addEndpoints(site, receivers)
  const env = { TILLGATE_LOG_LEVEL: 'error', TILLGATE_WEBHOOK_ALLOW: allow }
  const node = await startNode(site.cli, env)
  try {
    const pushes = await load(trial, node, await tokenOf(node.base, site.tills), store_ids)
    const behind = await untilReceived(node, await tokenOf(node.base, site.reader), receivers)
    return judge(trial, { pushes, behind, delays: delaysOf(pushes, receivers), memory: peakMemory(node) })
  } finally {
    node.process.kill('SIGKILL')
    receivers.close()
    await site.remove()
  }
}

/** App i reads stores 10 i + 1 to 10 i + 10. */
const appOf = (store_id: number): number => Math.floor((store_id - 1) / storesOfApp)
const endpointsOf = (store_id: number): number[] =>
  Array.from({ length: endpointsOfApp }, (_, i) => appOf(store_id) * endpointsOfApp + i)
const liveEndpointsOf = (store_id: number): number[] =>
  endpointsOf(store_id).filter(n => behaviourOf(n) === 'live')

async function addEndpoints({ database, apps: clients }: Site, receivers: Receivers): Promise<void> {
  const storage = await openStorage(database.url)
  const endpoints = createWebhookEndpoints({ storage, clock, rules: createAddressRules(allow) })
  const all = createApps({ storage, clock })
  try {
    for (const [i, { client_id }] of clients.entries()) {
      const store_ids = Array.from({ length: storesOfApp }, (_, k) => BigInt(i * storesOfApp + k + 1))
      await all.authorize(client_id, store_ids, byTest)
      for (let k = 0; k < endpointsOfApp; k++) {
        const n = i * endpointsOfApp + k
        const url = receivers.urlOf(behaviourOf(n), n)
        await endpoints.create({ app_id: client_id, url, events: ['store.changed'] }, byTest)
      }
    }
  } finally {
    await storage.close()
  }
}

/** Batches of one store each, the stores in turn, at a fixed rate. */
async function load(trial: Trial, node: Node, bearer: string, store_ids: number[]): Promise<Push[]> {
  const pushes: Push[] = []
  const open = new Set<Promise<void>>()
  const interval = (1000 * batchSize) / ordersPerSecond
  const began = performance.now()
  const push = async (n: number, store_id: number) => {
    const sent = performance.now()
    const response = await pushBatch(node.base, bearer, `load.${n}`, store_id)
    await response.arrayBuffer()
    if (response.status === 200) pushes.push({ store_id, sent, acknowledged: performance.now() })
  }
  for (let n = 0; n * interval < trial.rounds * 1000 && trial.goesOn(); n++) {
    await sleep(Math.max(0, began + n * interval - performance.now()))
    // As many as a platform would have open at a time.
    if (open.size >= 20) await Promise.race(open)
    const one = push(n, store_ids[n % store_ids.length] as number).finally(() => open.delete(one))
    open.add(one)
  }
  await Promise.all(open)
  trial.say(`${pushes.length} batches`)
  return pushes
}

/** How many pairs of a live endpoint and a store lack the newest seq, 30 s after the load. */
async function untilReceived({ base }: Node, bearer: string, { arrivalsOf }: Receivers): Promise<number> {
  const heads = await newestSeqs(base, bearer)
  const pairs = heads.flatMap(({ store_id, seq }) =>
    liveEndpointsOf(store_id).map(n => ({ n, store_id, seq })),
  )
  for (const end = performance.now() + limits.arrival; ; await sleep(50)) {
    const behind = pairs.filter(
      ({ n, store_id, seq }) => (arrivalsOf(n, store_id).at(-1)?.seq ?? 0) < seq,
    ).length
    if (behind === 0 || performance.now() > end) return behind
  }
}

async function newestSeqs(base: string, bearer: string): Promise<{ store_id: number; seq: number }[]> {
  const headers = { authorization: `Bearer ${bearer}` }
  const response = await fetch(`${base}/integration/v1/changes/heads?count=2000`, { headers })
  const { data } = (await response.json()) as { data: { store_id: number; seq: number }[] }
  return data.filter(({ seq }) => seq > 0)
}

/** Of each batch and live endpoint: from the answer to the batch to the first webhook that was sent after it. */
const delaysOf = (pushes: readonly Push[], { arrivalsOf }: Receivers): number[] =>
  pushes
    .flatMap(({ store_id, sent, acknowledged }) =>
      liveEndpointsOf(store_id).map(n => {
        const arrival = arrivalsOf(n, store_id).find(({ at }) => at >= sent)
        return arrival ? Math.max(0, arrival.at - acknowledged) : Number.POSITIVE_INFINITY
      }),
    )
    .sort((a, b) => a - b)

interface Measured {
  pushes: readonly Push[]
  behind: number
  delays: readonly number[]
  memory: number
}

function judge(trial: Trial, { pushes, behind, delays, memory }: Measured): Outcome {
  const quantile = (share: number): number => Math.round(delays[Math.floor(delays.length * share)] ?? 0)
  const first = pushes[0]?.sent ?? 0
  const seconds = ((pushes.at(-1)?.acknowledged ?? 0) - first) / 1000
  const rate = Math.round((pushes.length * batchSize) / seconds)
  const most = trial.busyMachine ? 10 * limits.p99 : limits.p99
  const broken = [
    ...(behind > 0 ? [`${behind} times a live endpoint did not receive the newest seq of a store`] : []),
    ...(quantile(0.99) > most ? [`p99 of the delay was ${quantile(0.99)} ms; the limit is ${most}`] : []),
    ...(memory > limits.memory ? [`the process took ${memory} MB; the limit is ${limits.memory}`] : []),
    ...(delays.length === 0 ? ['no batch was stored'] : []),
  ]
  const live = Array.from({ length: apps * endpointsOfApp }, (_, n) => behaviourOf(n)).filter(
    behaviour => behaviour === 'live',
  ).length
  return {
    tried:
      `${apps * endpointsOfApp} endpoints of ${apps} apps, ${live} of them live, the others refuse, hang or answer 500; ${rate} orders a second ` +
      `for ${Math.round(seconds)} s, in batches of one of ${apps * storesOfApp} stores`,
    found:
      `every live endpoint received the newest seq of each of its stores; from the answer to a batch to its webhook: ` +
      `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, at most ${quantile(0.99999)} ms; ${memory} MB at most in the process`,
    broken,
  }
}
