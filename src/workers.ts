import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'

/** So long a worker must have lived for its death to be an accident rather than a fault that repeats. */
const shortLife = 2000

/**
 * Runs `count` server processes that share the port, until told to stop. A worker that dies is replaced. Resolves
 * when all have gone; `ready` is called once, when all of them answer.
 */
export async function superviseWorkers(
  count: number,
  env: Record<string, string>,
  { ready, stop }: { ready(): void; stop: Promise<NodeJS.Signals> },
): Promise<void> {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../bin/tillgate.js', import.meta.url)),
    args: ['serve'],
  })
  let stopping = false
  let listening = 0
  await new Promise<void>((resolve, reject) => {
    const start = () => {
      const born = performance.now()
      cluster.fork(env).once('exit', code => {
        if (stopping) {
          if (workers().length === 0) resolve()
        } else if (performance.now() - born < shortLife) {
          stopping = true
          endAll('SIGTERM')
          reject(new Error(`a worker process ended at its start with exit code ${code}`))
        } else {
          start()
        }
      })
    }
    cluster.on('listening', () => {
      listening += 1
      if (listening === count) ready()
    })
    for (let i = 0; i < count; i++) start()
    void stop.then(signal => {
      stopping = true
      endAll(signal)
    })
  })
}

const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)

function endAll(signal: NodeJS.Signals): void {
  for (const worker of workers()) worker.process.kill(signal)
}
