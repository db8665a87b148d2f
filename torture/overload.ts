import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ordersOf } from '../test/helpers/load.ts'
import { type Node, startNode } from '../test/helpers/nodes.ts'
import { pushBatch, tokenOf } from '../test/helpers/tills.ts'
import { flood } from './flood.ts'
import type { Flood, FloodOrder } from './flood-process.ts'
import { prepareSite, type Site } from './site.ts'
import type { Outcome, Scenario, Trial } from './trial.ts'

/** Milliseconds, and megabytes of memory. */
const limits = { admitted_p99: 1000, recovery: 10_000, memory: 600 }

/** On a machine that is busy with other things even calm answers are slow; then what is asked is this much of them. */
const timesCalm = 10

export const overload: Scenario = {
  name: 'overload',
  engines: ['sqlite', 'postgres'],
  /** Seconds under ten times the load. */
  rounds: 30,
  share: 1,
  run,
}

async function run(trial: Trial): Promise<Outcome> {
  const site = await prepareSite(trial.engine)
  const node = await startNode(site.cli, { TILLGATE_LOG_LEVEL: 'error' })
  try {
    const requests = await requestsOf(site, node)
    const seconds = Math.max(2, trial.rounds / 10)
    const calm = await flood({ base: node.base, requests, connections: 16, rate: 0, seconds })
    const capacity = (calm.statuses[200]?.count ?? 0) / calm.seconds
    trial.say(`answers ${Math.round(capacity)} requests a second`)
    const storm = await underStorm(node, {
      ...{ base: node.base, requests, seconds: trial.rounds },
      connections: 1000,
      rate: Math.round(capacity * 10),
    })
    const recovered = await untilNormal(node, requests)
    const calm_p99 = calm.statuses[200]?.p99 ?? 0
    const most = trial.busyMachine ? Math.max(limits.admitted_p99, timesCalm * calm_p99) : limits.admitted_p99
    return judge(storm, recovered, { capacity, calm_p99, most })
  } finally {
    node.process.kill('SIGKILL')
    await site.remove()
  }
}

/** Pages of 100 orders, and tokens: what apps ask for most, and what costs most. */
async function requestsOf({ tills, reader }: Site, node: Node): Promise<FloodOrder['requests']> {
  const bearer = await tokenOf(node.base, tills)
  for (let i = 0; i < 5; i++) {
    const response = await pushBatch(node.base, bearer, `batch.${i}`)
    if (response.status !== 200) throw new Error(`no batch: ${response.status}`)
    await response.arrayBuffer()
  }
  const token = await tokenOf(node.base, reader)
  const { client_id, client_secret } = reader
  const page = { path: ordersOf(1), headers: { authorization: `Bearer ${token}` } }
  return [
    ...[page, page, page, page],
    {
      method: 'POST',
      path: '/auth/v2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })),
    },
  ]
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
  { capacity, calm_p99, most }: { capacity: number; calm_p99: number; most: number },
): Outcome {
  const { 200: admitted, 503: refused, ...others } = statuses
  const count = (admitted?.count ?? 0) + (refused?.count ?? 0)
  const broken = [
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
    tried:
      `1,000 clients that would send ten times the ${Math.round(capacity)} requests a second that it answers (p99 ${calm_p99} ms), ` +
      `and, as each waits for its answers, sent ${(count / seconds / capacity).toFixed(1)} times as many, for ${Math.round(seconds)} s`,
    found:
      `${count} answers: ${admitted?.count} of 200 (p50 ${admitted?.p50} ms, p99 ${admitted?.p99} ms), ${refused?.count ?? 0} of ` +
      `503 with Retry-After (p50 ${refused?.p50 ?? 0} ms, p99 ${refused?.p99 ?? 0} ms); at most ${Math.round(memory)} MB; ` +
      `/health/live within ${Math.round(health.slowest)} ms; back to normal ${(recovered / 1000).toFixed(1)} s after`,
    broken,
  }
}
