import type { Transform } from 'node:stream'
import { createTurnstile } from '../../lib/turnstile.ts'

type CodeWhole = (bytes: Uint8Array) => Promise<Uint8Array[]>

/** Twice as many as Node's thread pool has threads, so that none waits for the next body. */
export const mostAtATime = 2 * (Number(process.env['UV_THREADPOOL_SIZE']) || 4)

/**
 * Others wait for their turn. More at a time would be no faster, and take and give back a megabyte each. Nothing is made
 * of what is no longer wanted when its turn comes.
 */
export function fewAtATime(code: CodeWhole) {
  const inTurn = createTurnstile(mostAtATime, Number.POSITIVE_INFINITY)
  return (bytes: Uint8Array, isWanted = () => true): Promise<Uint8Array[]> =>
    inTurn(async () => (isWanted() ? code(bytes) : []))
}

interface Worker<Stream extends Transform> {
  stream: Stream
  made: Uint8Array[]
  /** For whoever waits for it: a fault in its thread is told by an event alone. */
  fail(error: Error): void
}

/**
 * Compresses whole bodies, with streams that are used again and again. To set one up takes up to half of the
 * time of a page of orders: memory that the system has to give and to take back, and that has the collector walk the heap.
 * `create` makes a stream of node:zlib that ends its work with every write, `renew` readies it for the next. Answers
 * what it made piece by piece. There are as many streams as ever were at work at the same time: see `fewAtATime`.
 */
export function reusing<Stream extends Transform>(
  create: () => Stream,
  renew: (stream: Stream) => void = () => {},
): CodeWhole {
  const atRest: Worker<Stream>[] = []

  function start(): Worker<Stream> {
    const worker: Worker<Stream> = { stream: create(), made: [], fail: () => {} }
    worker.stream.on('data', (bytes: Uint8Array) => worker.made.push(bytes))
    worker.stream.on('error', error => worker.fail(error))
    return worker
  }

  function findIdle(): Worker<Stream> {
    for (let worker = atRest.pop(); worker; worker = atRest.pop()) if (!worker.stream.destroyed) return worker
    return start()
  }

  function rest(worker: Worker<Stream>): void {
    if (worker.stream.destroyed) return
    renew(worker.stream)
    worker.made = []
    worker.fail = () => {}
    atRest.push(worker)
  }

  return bytes =>
    new Promise((resolve, reject) => {
      const worker = findIdle()
      worker.fail = reject
      worker.stream.write(bytes, error => {
        if (error || worker.stream.destroyed) return reject(error ?? new Error('the compressor was ended'))
        resolve(worker.made)
        rest(worker)
      })
    })
}
