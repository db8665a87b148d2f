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

/**
 * An ingest that reads and stores batches in worker threads, so that neither a large batch nor an fsync blocks the event
 * loop. With several threads, one reads while another writes. They start on demand.
 */
export function createIngestPool({ database, threads, storage, heap = serverHeap }: PoolOptions): Ingest {
  const workers: IngestWorker[] = []
  const { database_statement_timeout, database_connect_timeout } = storage
  const options = { database_pool: threadConnections, database_statement_timeout, database_connect_timeout }

  function leastBusy(): IngestWorker {
    for (let i = workers.length - 1; i >= 0; i--) if (workers[i]?.ended) workers.splice(i, 1)
    const [idlest] = workers.toSorted((a, b) => a.open_batches - b.open_batches)
    if (idlest && (idlest.open_batches === 0 || workers.length >= threads)) return idlest
    const started = startWorker(database, options, heap)
    workers.push(started)
    return started
  }

  return {
    open: batch => leastBusy().open(batch),
    async close() {
      await Promise.all(workers.map(worker => worker.close()))
    },
  }
}
