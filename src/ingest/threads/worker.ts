import { Worker } from 'node:worker_threads'
import type { IngestBatch, IngestOptions, Outcome } from '../ingest.ts'
import type { StorageOptions } from '../../storage/open.ts'
import { StorageUnavailable } from '../../storage/port/index.ts'
import { type Answer, type Request, toError } from './messages.ts'

/** Bytes that may be on their way to a thread for one batch; a sender that is faster waits. */
const window = 1024 * 1024

export interface IngestWorker {
  /** Batches that are open. */
  readonly open_batches: number
  /** True once it can take no more batches. */
  readonly ended: boolean
  open(options: IngestOptions): IngestBatch
  close(): Promise<void>
}

/** What the thread owes: acknowledgements of pieces, and the outcome. */
interface Owed {
  pending: number[]
  bytes: number
  failure: Error | null
  room: PromiseWithResolvers<void> | null
  outcome: PromiseWithResolvers<Outcome>
}

export function startWorker(database: string, options: StorageOptions): IngestWorker {
  const worker = new Worker(new URL('./start-thread.ts', import.meta.url), {
    workerData: { database, options },
  })
  const batches = new Map<number, Owed>()
  let next = 0
  let ended = false
  // Alive while it owes something; a server that only waits for its threads has nothing left to do.
  worker.unref()
  function forget(id: number): boolean {
    const was = batches.delete(id)
    if (batches.size === 0) worker.unref()
    return was
  }
  const tell = (request: Request, transfer: ArrayBuffer[] = []): void => worker.postMessage(request, transfer)

  /** Everyone who waits is told: what was not answered was not committed, or nobody knows. */
  function end(error: Error): void {
    ended = true
    for (const owed of batches.values()) fail(owed, error)
    batches.clear()
  }
  worker.on('error', error =>
    end(new StorageUnavailable('a thread that stores records failed', { cause: error })),
  )
  worker.on('exit', () => end(new StorageUnavailable('a thread that stores records ended')))
  worker.on('message', (answer: Answer) => {
    if (answer.type === 'ready') return
    const owed = batches.get(answer.id)
    if (!owed) return
    if (answer.type === 'pushed') {
      owed.bytes -= owed.pending.shift() ?? 0
      if (answer.failure) fail(owed, toError(answer.failure))
      else if (owed.bytes < window) owed.room?.resolve()
      return
    }
    forget(answer.id)
    if (answer.type === 'committed') owed.outcome.resolve(answer.outcome)
    else owed.outcome.reject(toError(answer.failure))
  })

  return {
    get open_batches() {
      return batches.size
    },
    get ended() {
      return ended
    },
    open(batchOptions) {
      const id = next++
      const owed: Owed = {
        pending: [],
        bytes: 0,
        failure: null,
        room: null,
        outcome: Promise.withResolvers<Outcome>(),
      }
      owed.outcome.promise.catch(() => {}) // looked at in commit
      batches.set(id, owed)
      worker.ref()
      tell({ type: 'open', id, options: batchOptions })
      return {
        async push(piece) {
          if (owed.failure) throw owed.failure
          // A copy, since a piece may share its memory with others; the copy is then given away.
          const copy = new Uint8Array(piece)
          owed.pending.push(copy.length)
          owed.bytes += copy.length
          tell({ type: 'push', id, piece: copy }, [copy.buffer])
          if (owed.bytes < window) return
          owed.room = Promise.withResolvers()
          await owed.room.promise
        },
        async commit() {
          if (owed.failure) throw owed.failure
          tell({ type: 'commit', id })
          return owed.outcome.promise
        },
        abandon() {
          if (forget(id)) tell({ type: 'abandon', id })
        },
      }
    },
    async close() {
      if (ended) return
      worker.ref()
      const exited = new Promise(resolve => worker.once('exit', resolve))
      tell({ type: 'close' })
      await exited
    },
  }
}

function fail(owed: Owed, error: Error): void {
  owed.failure ??= error
  owed.room?.reject(owed.failure)
  owed.room?.promise.catch(() => {})
  owed.outcome.reject(owed.failure)
}
