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

/** On a machine that does other work too, the limit is this many times the p99 without overload. */
const timesCalm = 10

/** The requests that the clients send, and the number of clients. */
interface LoadProfile {
  name: string
  what: string
  batches: number
  requests(token: string, reader: Client): FloodOrder['requests']
  clients(capacity: number): number
  /** The result counts only when the clients send at least this many times the load that the server answers. */
  least: number
}

/** The most frequent request of apps, and the most expensive one. */
const smallPagesAndTokens: LoadProfile = {
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
 * Pages of the most orders that one request may ask for, 1 KB each. A client waits for each answer, also half a second for
 * a rejection, so the number of clients follows from the load to be sent.
 */
const largePages: LoadProfile = {
  name: 'overload by readers',
  what: 'pages of 2000 orders, 2 MB',
  batches: 100,
  requests: token => [
    pageOf(
      '/integration/v1/orders?store_id=1&start_date=2026-11-01+00:00:00&end_date=2026-11-02+23:59:59&count=2000',
      token,
    ),
  ],
  clients: capacity => Math.min(Math.ceil(capacity * overloadFactor * 0.6), 5000),
  least: 5,
}

const pageOf = (path: string, token: string) => ({ path, headers: { authorization: `Bearer ${token}` } })

/** The load that is sent, as a multiple of the load that the server answers. */
const overloadFactor = 10

const overloadBy = (profile: LoadProfile): Scenario => ({
  name: profile.name,
  engines: ['sqlite', 'postgres'],
  /** Seconds of overload. */
  rounds: 30,
  share: 1,
  run: trial => run(trial, profile),
})

export const overload = overloadBy(smallPagesAndTokens)
export const overloadByReaders = overloadBy(largePages)

async function run(trial: Trial, profile: LoadProfile): Promise<Outcome> {
  const site = await prepareSite(trial.engine)
  const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
  try {
    await pushOrders(node, site, profile.batches)
    const requests = profile.requests(await tokenOf(node.base, site.reader), site.reader)
    const seconds = Math.max(3, trial.rounds / 10)
    const calm = await flood({ base: node.base, requests, connections: 16, rate: 0, seconds })
    const capacity = (calm.statuses[200]?.count ?? 0) / calm.seconds
    if (capacity === 0) throw new Error('nothing was answered without overload')
    trial.say(`answers ${Math.round(capacity)} requests a second`)
    const connections = profile.clients(capacity)
    const result = await overloaded(node, {
      base: node.base,
      requests,
      seconds: trial.rounds,
      connections,
      rate: Math.round(capacity * overloadFactor),
    })
    const recovered = await untilNormal(node, requests)
    const calm_p99 = calm.statuses[200]?.p99 ?? 0
    const most = trial.busyMachine ? Math.max(limits.admitted_p99, timesCalm * calm_p99) : limits.admitted_p99
    const tried = `${connections} clients that would send ten times the ${Math.round(capacity)} requests a second (${profile.what}) that the server answers (p99 ${calm_p99} ms)`
    return judge(result, recovered, { capacity, tried, most, least: trial.busyMachine ? 0 : profile.least })
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

interface Result {
  flood: Flood
  /** The peak memory of the process, in MB. */
  memory: number
  /** Checks of /health/live: milliseconds of the slowest, and the number that were not 200. */
  health: { slowest: number; failed: number }
}

async function overloaded(node: Node, order: FloodOrder): Promise<Result> {
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
  try {
    return { flood: await flood(order), memory, health }
  } finally {
    over.abort()
    await watching
  }
}

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Milliseconds until a second of normal load is answered without a rejection. */
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
  { flood: { statuses, errors, seconds }, memory, health }: Result,
  recovered: number,
  { capacity, tried, most, least }: { capacity: number; tried: string; most: number; least: number },
): Outcome {
  const { 200: admitted, 503: rejected, ...others } = statuses
  const count = (admitted?.count ?? 0) + (rejected?.count ?? 0)
  const sent = count / seconds / capacity
  const broken = [
    ...(sent < least ? [`the clients sent only ${sent.toFixed(1)} times the load`] : []),
    ...Object.entries(others).map(([status, { count }]) => `${count} answers were ${status}`),
    ...(errors > 0 ? [`${errors} requests had no answer`] : []),
    ...(admitted === undefined ? ['nothing was answered'] : []),
    ...((admitted?.p99 ?? 0) > most ? [`admitted requests took ${admitted?.p99} ms at p99`] : []),
    ...((rejected?.p99 ?? 0) > most ? [`rejections took ${rejected?.p99} ms at p99`] : []),
    ...(rejected && !rejected.retry ? ['a rejection had no Retry-After'] : []),
    ...(memory > limits.memory ? [`the process held ${Math.round(memory)} MB`] : []),
    ...(health.failed > 0 ? [`${health.failed} health checks failed`] : []),
    ...(recovered > limits.recovery ? ['the server was not back to normal in 10 s'] : []),
  ]
  return {
    tried: `${tried}; because each waits for its answers, they sent ${sent.toFixed(1)} times as many, for ${Math.round(seconds)} s`,
    found:
      `${count} answers: ${admitted?.count} of 200 (p50 ${admitted?.p50} ms, p99 ${admitted?.p99} ms), ${rejected?.count ?? 0} of ` +
      `503 with Retry-After (p50 ${rejected?.p50 ?? 0} ms, p99 ${rejected?.p99 ?? 0} ms); at most ${Math.round(memory)} MB; ` +
      `/health/live within ${Math.round(health.slowest)} ms; back to normal ${(recovered / 1000).toFixed(1)} s after`,
    broken,
  }
}
