import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { relayMetrics } from './worker-metrics.ts'

/** A worker's report to the supervisor, the process that prints messages for the operator. */
type WorkerReport = 'listening' | { failed: string }

/** The cluster module reports neither a worker that listens by itself nor the reason why a worker ended. */
export const reportToSupervisor = (report: WorkerReport): void => void process.send?.(report)

/** A worker that ends this soon (milliseconds) probably cannot start, so its replacement starts after a pause. */
const shortLife = 2000
const restartPause = 1000

interface Supervision {
  /** Called once, when every worker listens. */
  ready(): void
  /** Aborts with the name of the stop signal as its reason. */
  stop: AbortSignal
  warn(details: object, text: string): void
}

/**
 * Runs `count` workers that share the port and resolves when all have ended after a stop request. A worker that ends
 * before all of them listen fails the start, because its replacement would fail too. Later, a worker that ends is replaced.
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
  /** Not cluster.workers: Node removes a worker there only after both `exit` and `disconnect`, in either order. */
  const workers = new Set<Worker>()
  const answerMetrics = relayMetrics(() => [...workers])
  const endAll = (signal: NodeJS.Signals): void => {
    for (const worker of workers) worker.process.kill(signal)
  }
  let failed = false
  let listening = 0
  await new Promise<void>((resolve, reject) => {
    const resolveWhenAllEnded = () => {
      if (workers.size === 0) resolve()
    }
    const start = () => {
      if (stop.aborted || failed) return
      const started = performance.now()
      const worker = cluster.fork(env)
      workers.add(worker)
      let reason: string | null = null
      answerMetrics(worker)
      worker.on('message', (report: WorkerReport) => {
        if (report === 'listening' && ++listening === count) ready()
        if (typeof report === 'object' && 'failed' in report) reason = report.failed
      })
      worker.once('exit', (code, signal) => {
        workers.delete(worker)
        if (stop.aborted || failed) return resolveWhenAllEnded()
        if (listening < count) {
          failed = true
          endAll('SIGTERM')
          return reject(new Error(reason ?? `a worker process ended with ${signal ?? `exit code ${code}`}`))
        }
        const details = { worker: worker.process.pid, code, signal, reason }
        warn(details, 'a worker process ended; another one replaces it')
        setTimeout(start, performance.now() - started < shortLife ? restartPause : 0)
      })
    }
    for (let i = 0; i < count; i++) start()
    stop.addEventListener('abort', () => {
      // For a stop request that only this process got; workers ignore it when they have it already.
      endAll(stop.reason)
      resolveWhenAllEnded()
    })
  })
}
