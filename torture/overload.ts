import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ordersOf } from '../test/helpers/load.ts'
import { type Node, startNode } from '../test/helpers/nodes.ts'
import { type Client, pushBatch, tokenOf } from '../test/helpers/tills.ts'
import { flood } from './flood.ts'
import type { Flood, FloodOrder } from './flood-process.ts'
import { prepareSite, type Site } from './site.ts'
import type { Outcome, Scenario, Trial } from './trial.ts'

/** Milliseconds, and megabytes of memory. */
const limits = { admitted_p99: 1000, recovery: 10_000, memory: 600 }

/** On a machine that is busy with other things even calm answers are slow; then what is asked is this much of them. */
const timesCalm = 10

/** What a crowd asks for, and how many they are. */
interface Crowd {
  name: string
  what: string
  batches: number
  requests(token: string, reader: Client): FloodOrder['requests']
  clients(capacity: number): number
  /** Less than so many times the load is no trial. */
  least: number
}

/** What apps ask for most, and what costs most. */
const ofEverything: Crowd = {
  name: 'overload',
  what: 'pages of 10 orders and tokens',
  batches: 5,
  requests(token, { client_id, client_secret }) {
    const page = pageOf(ordersOf(1), token)
    const grant = {
      method: 'POST' as const,
      path: '/auth/v2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })),
    }
    return [page, page, page, page, grant]
  },
  clients: () => 1000,
  least: 1.2,
}

/**
 * Pages of as many orders as may be asked for, of 1 KB each. A client waits for each of its answers, if only for half a
 * second to be refused: so there are as many clients as it takes to send ten times what can be answered.
 */
const ofReaders: Crowd = {
  name: 'overload by readers',
  what: 'pages of 2000 orders, 2 MB',
  batches: 100,
  requests: token => [
    pageOf(
      '/integration/v1/orders?store_id=1&start_date=2026-11-01+00:00:00&end_date=2026-11-02+23:59:59&count=2000',
      token,
    ),
  ],
  clients: capacity => Math.min(Math.ceil(capacity * times * 0.6), 5000),
  least: 5,
}

const pageOf = (path: string, token: string) => ({ path, headers: { authorization: `Bearer ${token}` } })

/** Of the load that is answered when there is no more. */
const times = 10

const overloadBy = (crowd: Crowd): Scenario => ({
  name: crowd.name,
  engines: ['sqlite', 'postgres'],
  /** Seconds under ten times the load. */
  rounds: 30,
  share: 1,
  run: trial => run(trial, crowd),
})

export const overload = overloadBy(ofEverything)
export const overloadByReaders = overloadBy(ofReaders)

async function run(trial: Trial, crowd: Crowd): Promise<Outcome> {
  const site = await prepareSite(trial.engine)
  const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
  try {
    await pushOrders(node, site, crowd.batches)
    const requests = crowd.requests(await tokenOf(node.base, site.reader), site.reader)
    const seconds = Math.max(2, trial.rounds / 10)
    const calm = await flood({ base: node.base, requests, connections: 16, rate: 0, seconds })
    const capacity = (calm.statuses[200]?.count ?? 0) / calm.seconds
    trial.say(`answers ${Math.round(capacity)} requests a second`)
    const connections = crowd.clients(capacity)
    const storm = await underStorm(node, {
      base: node.base,
      requests,
      seconds: trial.rounds,
      connections,
      rate: Math.round(capacity * times),
    })
    const recovered = await untilNormal(node, requests)
    const calm_p99 = calm.statuses[200]?.p99 ?? 0
    const most = trial.busyMachine ? Math.max(limits.admitted_p99, timesCalm * calm_p99) : limits.admitted_p99
    const tried = `${connections} clients that would send ten times the ${Math.round(capacity)} requests a second (${crowd.what}) that it answers (p99 ${calm_p99} ms)`
    return judge(storm, recovered, { capacity, tried, most, least: trial.busyMachine ? 0 : crowd.least })
  } finally {
    node.process.kill('SIGKILL')
    await site.remove()
  }
}

async function pushOrders({ base }: Node, { tills }: Site, batches: number): Promise<void> {
  const bearer = await tokenOf(base, tills)
  for (let i = 0; i < batches; i++) {
    const response = await pushBatch(base, bearer, `batch.${i}`)
    if (response.status !== 200) throw new Error(`no batch: ${response.status}`)
    await response.arrayBuffer()
  }
}

interface Storm {
  flood: Flood
  /** The most that the process held, in MB. */
  memory: number
  /** Milliseconds until the slowest answer to the question whether it lives, and answers that were not 200. */
  health: { slowest: number; failed: number }
}

async function underStorm(node: Node, order: FloodOrder): Promise<Storm> {
  const health = { slowest: 0, failed: 0 }
  let memory = 0
  const over = new AbortController()
  const watch = async () => {
    while (!over.signal.aborted) {
      memory = Math.max(memory, memoryOf(node.process.pid ?? 0))
      const began = performance.now()
      const answer = await fetch(`${node.base}/health/live`).catch(() => null)
      await answer?.arrayBuffer()
      health.slowest = Math.max(health.slowest, performance.now() - began)
      if (answer?.status !== 200) health.failed++
      await sleep(100)
    }
  }
  const watching = watch()
  const result = await flood(order)
  over.abort()
  await watching
  return { flood: result, memory, health }
}

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Milliseconds until a second of ordinary load is answered without a refusal. */
async function untilNormal(node: Node, requests: FloodOrder['requests']): Promise<number> {
  const began = performance.now()
  for (;;) {
    const start = performance.now()
    const { statuses, errors } = await flood({
      base: node.base,
      requests,
      connections: 4,
      rate: 0,
      seconds: 1,
    })
    if (errors === 0 && Object.keys(statuses).join() === '200') return start - began
    if (start - began > 3 * limits.recovery) return Number.POSITIVE_INFINITY
  }
}

function judge(
  { flood: { statuses, errors, seconds }, memory, health }: Storm,
  recovered: number,
  { capacity, tried, most, least }: { capacity: number; tried: string; most: number; least: number },
): Outcome {
  const { 200: admitted, 503: refused, ...others } = statuses
  const count = (admitted?.count ?? 0) + (refused?.count ?? 0)
  const sent = count / seconds / capacity
  const broken = [
    ...(sent < least ? [`only ${sent.toFixed(1)} times the load was sent`] : []),
    ...Object.entries(others).map(([status, { count }]) => `${count} answers were ${status}`),
    ...(errors > 0 ? [`${errors} requests had no answer`] : []),
    ...(admitted === undefined ? ['nothing was answered'] : []),
    ...((admitted?.p99 ?? 0) > most ? [`admitted requests took ${admitted?.p99} ms at p99`] : []),
    ...((refused?.p99 ?? 0) > most ? [`refusals took ${refused?.p99} ms at p99`] : []),
    ...(refused && !refused.retry ? ['a refusal had no Retry-After'] : []),
    ...(memory > limits.memory ? [`the process held ${Math.round(memory)} MB`] : []),
    ...(health.failed > 0 ? [`${health.failed} health checks failed`] : []),
    ...(recovered > limits.recovery ? ['it was not back to normal in 10 s'] : []),
  ]
  return {
    tried: `${tried}, and, as each waits for its answers, sent ${sent.toFixed(1)} times as many, for ${Math.round(seconds)} s`,
    found:
      `${count} answers: ${admitted?.count} of 200 (p50 ${admitted?.p50} ms, p99 ${admitted?.p99} ms), ${refused?.count ?? 0} of ` +
      `503 with Retry-After (p50 ${refused?.p50 ?? 0} ms, p99 ${refused?.p99 ?? 0} ms); at most ${Math.round(memory)} MB; ` +
      `/health/live within ${Math.round(health.slowest)} ms; back to normal ${(recovered / 1000).toFixed(1)} s after`,
    broken,
  }
}
