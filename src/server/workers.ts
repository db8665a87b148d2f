import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { relayMetrics } from './worker-metrics.ts'

/** What a worker tells the first process, which is the one that speaks to people. */
export type WorkerNews = 'listening' | { failed: string }

/** The cluster module tells of ports that it shares itself, and of an end without its reason. */
export const tellSupervisor = (news: WorkerNews): void => void process.send?.(news)

/** One that dies as soon as this cannot start, as when the database is away; the next try waits a little. */
const shortLife = 2000
const pause = 1000

interface Supervision {
  /** Called once, when all of them answer. */
  ready(): void
  stop: Promise<NodeJS.Signals>
  warn(details: object, text: string): void
}

/**
 * Runs `count` server processes that share the port, until told to stop, and resolves when all have gone. One that ends
 * before all of them answer ends the start: what is wrong would be wrong again. Later one that dies is replaced, and for
 * as long as that does not succeed the others serve.
 */
export async function superviseWorkers(
  count: number,
  env: Record<string, string>,
  { ready, stop, warn }: Supervision,
): Promise<void> {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../../bin/tillgate.js', import.meta.url)),
    args: ['serve'],
  })
  const answerMetrics = relayMetrics(workers)
  let stopping = false
  let listening = 0
  await new Promise<void>((resolve, reject) => {
    const resolveWhenGone = () => {
      if (workers().length === 0) resolve()
    }
    const start = () => {
      if (stopping) return
      const born = performance.now()
      const worker = cluster.fork(env)
      let reason: string | null = null
      answerMetrics(worker)
      worker.on('message', (news: WorkerNews) => {
        if (news === 'listening' && ++listening === count) ready()
        if (typeof news === 'object' && 'failed' in news) reason = news.failed
      })
      worker.once('exit', (code, signal) => {
        if (stopping) return resolveWhenGone()
        if (listening < count) {
          stopping = true
          endAll('SIGTERM')
          return reject(new Error(reason ?? `a worker process ended with ${signal ?? `exit code ${code}`}`))
        }
        const details = { worker: worker.process.pid, code, signal, reason }
        warn(details, 'a worker process ended; another takes its place')
        setTimeout(start, performance.now() - born < shortLife ? pause : 0)
      })
    }
    for (let i = 0; i < count; i++) start()
    void stop.then(signal => {
      stopping = true
      endAll(signal)
      resolveWhenGone()
    })
  })
}

const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)

function endAll(signal: NodeJS.Signals): void {
  for (const worker of workers()) worker.process.kill(signal)
}
