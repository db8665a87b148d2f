import type { Transform } from 'node:stream'

/** So many are kept at rest: twice what Node's thread pool runs at once unless it is told otherwise. */
const mostAtRest = 8

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
 * what it made piece by piece.
 */
export function reusing<Stream extends Transform>(
  create: () => Stream,
  renew: (stream: Stream) => void = () => {},
): (bytes: Uint8Array) => Promise<Uint8Array[]> {
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
    if (atRest.length < mostAtRest) atRest.push(worker)
    else worker.stream.destroy()
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
