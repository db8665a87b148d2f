import type { Ingest } from '../ingest.ts'
import type { StorageOptions } from '../../storage/open.ts'
import { type IngestWorker, serverHeap, startWorker } from './worker.ts'

interface PoolOptions {
  /** Never `:memory:`, because each thread opens its own connection. */
  database: string
  threads: number
  storage: Required<Pick<StorageOptions, 'database_statement_timeout' | 'database_connect_timeout'>>
  /** The memory limit of each thread. */
  heap?: typeof serverHeap
}

/** PostgreSQL connections of one thread: batches that wait for a locked store hold two, the others continue. */
export const threadConnections = 4

/** Bytes of batches that share a thread: reading them takes little, and two threads compete for SQLite's write lock. */
const smallBatches = 256 * 1024

/**
 * An ingest that reads and stores batches in worker threads, so that neither a large batch nor an fsync blocks the event
 * loop. With several threads, one reads while another writes. They start on demand.
 */
export function createIngestPool({ database, threads, storage, heap = serverHeap }: PoolOptions): Ingest {
  const workers: IngestWorker[] = []
  const { database_statement_timeout, database_connect_timeout } = storage
  const options = { database_pool: threadConnections, database_statement_timeout, database_connect_timeout }

  /** Small batches together, large ones apart. */
  function threadFor(announced: number): IngestWorker {
    for (let i = workers.length - 1; i >= 0; i--) if (workers[i]?.ended) workers.splice(i, 1)
    const free = workers.find(({ open_bytes: open }) => open === 0 || open + announced < smallBatches)
    if (free) return free
    if (workers.length < threads) {
      const started = startWorker(database, options, heap)
      workers.push(started)
      return started
    }
    return workers.reduce((least, next) => (next.open_bytes < least.open_bytes ? next : least))
  }

  return {
    open(batch) {
      const { announced = smallBatches } = batch
      return threadFor(announced).open({ ...batch, announced })
    },
    async close() {
      await Promise.all(workers.map(worker => worker.close()))
    },
  }
}
