import { extname } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { type IngestBatch, type IngestOptions, type Outcome, tooLarge } from '../ingest.ts'
import type { StorageOptions } from '../../storage/open.ts'
import { StorageUnavailable } from '../../storage/port/index.ts'
import { type Answer, type Request, toError } from './messages.ts'

/** Bytes of one batch that the thread has not processed yet; beyond this `push` waits. */
const window = 256 * 1024

/**
 * The heap of a thread, in MB. Records wait outside of it (record-buffer.ts), so it holds only the part of a batch that
 * is being read or written. Without a limit, V8 would collect garbage so rarely that a thread takes hundreds of MB.
 */
export const serverHeap = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 24 }

/** An import has the process to itself: half as much time for garbage collection, and 60 MB more in the process. */
export const importHeap = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 48 }

export interface IngestWorker {
  /** Bytes of the batches that are not stored yet, as far as they are known. */
  readonly open_bytes: number
  /** True once it can take no more batches. */
  readonly ended: boolean
  open(options: IngestOptions): IngestBatch
  close(): Promise<void>
}

/** A batch whose outcome the thread has not sent yet. */
interface PendingBatch {
  /** The sizes of the pieces that are not acknowledged, and their sum. */
  unacknowledged: number[]
  bytes: number
  /** The sum of all pieces. */
  pushed: number
  announced: number
  /** Bytes that the batch takes in the thread. */
  size: number
  failure: Error | null
  drained: PromiseWithResolvers<void> | null
  outcome: PromiseWithResolvers<Outcome>
}

export function startWorker(
  database: string,
  options: StorageOptions,
  heap: typeof serverHeap,
): IngestWorker {
  // The server's own small semi-spaces (bin/tillgate.js) would replace the thread's limit: twice the garbage collection.
  setFlagsFromString('--max-semi-space-size=0')
  const worker = new Worker(new URL(`./start-thread${extname(import.meta.filename)}`, import.meta.url), {
    workerData: { database, options },
    resourceLimits: heap,
  })
  const batches = new Map<number, PendingBatch>()
  let next = 0
  let ended = false
  // Idle threads do not keep the process alive.
  worker.unref()
  function forget(id: number): boolean {
    const known = batches.delete(id)
    if (batches.size === 0) worker.unref()
    return known
  }
  const send = (request: Request, transfer: ArrayBuffer[] = []): void => worker.postMessage(request, transfer)

  /** Rejects everything that waits: a batch without an answer was not committed, or its outcome is unknown. */
  function end(error: Error): void {
    ended = true
    for (const batch of batches.values()) fail(batch, error)
    batches.clear()
  }
  worker.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') failLargest()
    end(new StorageUnavailable('a thread that stores records failed', { cause: error }))
  })
  /** The largest batch is the one that did not fit, and would not fit the next time; the others may be sent again. */
  function failLargest(): void {
    const [largest] = [...batches.values()].sort((a, b) => b.pushed - a.pushed)
    if (largest) fail(largest, tooLarge(`fits into ${heap.maxOldGenerationSizeMb} MB of memory`))
  }
  worker.on('exit', () => end(new StorageUnavailable('a thread that stores records ended')))
  worker.on('message', (answer: Answer) => {
    if (answer.type === 'ready') return
    const batch = batches.get(answer.id)
    if (!batch) return
    if (answer.type === 'pushed') {
      batch.bytes -= batch.unacknowledged.shift() ?? 0
      batch.size = answer.size
      if (answer.failure) fail(batch, toError(answer.failure))
      else if (batch.bytes < window) batch.drained?.resolve()
      return
    }
    forget(answer.id)
    if (answer.type === 'committed') batch.outcome.resolve(answer.outcome)
    else batch.outcome.reject(toError(answer.failure))
  })

  return {
    get open_bytes() {
      return batches.values().reduce((sum, { announced, pushed }) => sum + Math.max(announced, pushed, 1), 0)
    },
    get ended() {
      return ended
    },
    open(batchOptions) {
      const id = next++
      const batch: PendingBatch = {
        unacknowledged: [],
        bytes: 0,
        pushed: 0,
        announced: batchOptions.announced ?? 0,
        size: 0,
        failure: null,
        drained: null,
        outcome: Promise.withResolvers<Outcome>(),
      }
      batch.outcome.promise.catch(() => {}) // commit handles it
      batches.set(id, batch)
      worker.ref()
      send({ type: 'open', id, options: batchOptions })
      return {
        get size() {
          return batch.size + batch.bytes
        },
        async push(piece) {
          if (batch.failure) throw batch.failure
          // A copy, because a piece may share its memory with others; the copy is transferred.
          const copy = new Uint8Array(piece)
          batch.unacknowledged.push(copy.length)
          batch.bytes += copy.length
          batch.pushed += copy.length
          send({ type: 'push', id, piece: copy }, [copy.buffer])
          if (batch.bytes < window) return
          batch.drained = Promise.withResolvers()
          await batch.drained.promise
        },
        async commit() {
          if (batch.failure) throw batch.failure
          send({ type: 'commit', id })
          return batch.outcome.promise
        },
        abandon() {
          if (forget(id)) send({ type: 'abandon', id })
        },
      }
    },
    async close() {
      if (ended) return
      worker.ref()
      const exited = new Promise(resolve => worker.once('exit', resolve))
      send({ type: 'close' })
      await exited
    },
  }
}

function fail(batch: PendingBatch, error: Error): void {
  batch.failure ??= error
  batch.drained?.reject(batch.failure)
  batch.drained?.promise.catch(() => {})
  batch.outcome.reject(batch.failure)
}
