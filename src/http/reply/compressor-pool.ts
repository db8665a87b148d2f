import type { Transform } from 'node:stream'
import { createLimiter } from '../../lib/limiter.ts'

type Compress = (bytes: Uint8Array) => Promise<Uint8Array[]>

/** Twice Node's default number of pool threads, so that a thread does not wait for its next body. */
export const maxConcurrent = 8

/** More at a time would be no faster, and each needs a megabyte. A body is skipped if nobody wants it any more. */
export function limitConcurrency(compress: Compress) {
  const limiter = createLimiter({ concurrency: maxConcurrent })
  return (bytes: Uint8Array, isWanted = () => true): Promise<Uint8Array[]> =>
    limiter.run(async () => (isWanted() ? compress(bytes) : []))
}

interface Compressor<Stream extends Transform> {
  stream: Stream
  chunks: Uint8Array[]
  /** Rejects the current body: zlib reports an error in its thread only as an event. */
  fail(error: Error): void
}

/**
 * Compresses whole bodies with reused zlib streams. A new stream for each page costs a third more CPU: its memory is
 * allocated, freed, and counted by the garbage collector. `create` makes a stream that finishes with every write, `reset`
 * prepares it for the next body. Each stream in the pool was once needed at the same time as the others.
 */
export function createCompressorPool<Stream extends Transform>(
  create: () => Stream,
  reset: (stream: Stream) => void = () => {},
): Compress {
  const idle: Compressor<Stream>[] = []

  function createCompressor(): Compressor<Stream> {
    const compressor: Compressor<Stream> = { stream: create(), chunks: [], fail: () => {} }
    compressor.stream.on('data', (bytes: Uint8Array) => compressor.chunks.push(bytes))
    compressor.stream.on('error', error => compressor.fail(error))
    return compressor
  }

  function acquire(): Compressor<Stream> {
    for (let found = idle.pop(); found; found = idle.pop()) if (!found.stream.destroyed) return found
    return createCompressor()
  }

  function release(compressor: Compressor<Stream>): void {
    if (compressor.stream.destroyed) return
    reset(compressor.stream)
    compressor.chunks = []
    compressor.fail = () => {}
    idle.push(compressor)
  }

  return bytes =>
    new Promise((resolve, reject) => {
      const compressor = acquire()
      compressor.fail = reject
      compressor.stream.write(bytes, error => {
        if (error || compressor.stream.destroyed) {
          return reject(error ?? new Error('the compressor was destroyed'))
        }
        resolve(compressor.chunks)
        release(compressor)
      })
    })
}
