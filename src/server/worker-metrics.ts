import type { Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** A worker's metrics, from `registry.getMetricsAsJSON()`. The channel between processes turns NaN into null. */
type Report = { values: { value: number | null }[] }[]

/**
 * Several processes share one port, so a request for metrics reaches any one of them. That worker asks the supervisor,
 * and the supervisor asks every worker.
 */
type Message =
  | { metrics: 'of all'; id: number }
  | { metrics: 'own'; id: number }
  | { metrics: 'report'; id: number; report: Report }
  | { metrics: 'text'; id: number; text: string }

/** Milliseconds. A worker that takes longer may be dying, and is left out. */
const reportTimeout = 2000

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'metrics' in message

/** Runs in the supervisor, once for each worker. */
export function relayMetrics(workers: () => Worker[]): (worker: Worker) => void {
  let id = 0
  return asking => {
    asking.on('message', async (message: unknown) => {
      if (!isMessage(message) || message.metrics !== 'of all') return
      const reports = await Promise.all(workers().map(worker => askOne(worker, ++id)))
      const text = await aggregate(reports).metrics()
      if (asking.isConnected()) asking.send({ metrics: 'text', id: message.id, text } satisfies Message)
    })
  }
}

/** Every sample carries its worker's label, so nothing is added up; `first` keeps also what prom-client would omit. */
export const aggregate = (reports: readonly Report[]): Registry =>
  AggregatorRegistry.aggregate(
    reports.map(report =>
      report.map(metric => ({
        ...metric,
        aggregator: 'first',
        values: metric.values.map(sample => ({ ...sample, value: sample.value ?? Number.NaN })),
      })),
    ),
  )

function askOne(worker: Worker, id: number): Promise<Report> {
  return new Promise(resolve => {
    const done = (report: Report) => {
      clearTimeout(timer)
      worker.off('message', listen)
      resolve(report)
    }
    const listen = (message: unknown) => {
      if (isMessage(message) && message.metrics === 'report' && message.id === id) done(message.report)
    }
    const timer = setTimeout(() => done([]), reportTimeout)
    worker.on('message', listen)
    if (worker.isConnected()) worker.send({ metrics: 'own', id } satisfies Message)
  })
}

/** Runs in a worker: reports its own metrics to the supervisor, and gets the text of all. */
export function gatherMetrics(registry: Registry): () => Promise<string> {
  registry.setDefaultLabels({ worker: String(process.pid) })
  const waiting = new Map<number, (text: string) => void>()
  let last = 0
  const send = (message: Message): void => void process.send?.(message)
  process.on('message', async (message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'own') {
      send({ metrics: 'report', id: message.id, report: await registry.getMetricsAsJSON() })
    }
    if (message.metrics === 'text') waiting.get(message.id)?.(message.text)
  })
  return async () => {
    const id = ++last
    // Without an answer from the supervisor the worker answers for itself.
    const alone = setTimeout(async () => waiting.get(id)?.(await registry.metrics()), 2 * reportTimeout)
    const text = await new Promise<string>(resolve => {
      waiting.set(id, resolve)
      send({ metrics: 'of all', id })
    })
    clearTimeout(alone)
    waiting.delete(id)
    return text
  }
}
