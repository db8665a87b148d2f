import type { Transform } from 'node:stream'

/** So many are kept at rest: twice what Node's thread pool runs at once unless it is told otherwise. */
const mostAtRest = 8

interface Worker<Stream extends Transform> {
  stream: Stream
  made: Uint8Array[]
}

/**
 * Compresses whole bodies, with streams that are used again and again. To set one up takes as long as a page of orders:
 * up to a megabyte that the system has to give and to take back, and that makes the collector walk the whole heap.
 * `create` makes a stream of node:zlib that ends its work with every write, `renew` readies it for the next. Answers
 * what it made piece by piece.
 */
export function reusing<Stream extends Transform>(
  create: () => Stream,
  renew: (stream: Stream) => void = () => {},
): (bytes: Uint8Array) => Promise<Uint8Array[]> {
  const atRest: Worker<Stream>[] = []

  function start(): Worker<Stream> {
    const worker: Worker<Stream> = { stream: create(), made: [] }
    worker.stream.on('data', (bytes: Uint8Array) => worker.made.push(bytes))
    // Whoever wrote hears of it.
    worker.stream.on('error', () => {})
    return worker
  }

  return bytes =>
    new Promise((resolve, reject) => {
      const worker = atRest.pop() ?? start()
      worker.stream.write(bytes, error => {
        if (error) return reject(error)
        const { made } = worker
        worker.made = []
        renew(worker.stream)
        if (atRest.length < mostAtRest) atRest.push(worker)
        else worker.stream.destroy()
        resolve(made)
      })
    })
}
