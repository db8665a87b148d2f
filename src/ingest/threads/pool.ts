import type { Ingest } from '../ingest.ts'
import type { StorageOptions } from '../../storage/open.ts'
import { type IngestWorker, startWorker } from './worker.ts'

interface PoolOptions {
  /** Never in memory: each thread has a connection of its own. */
  database: string
  threads: number
  storage: Required<Pick<StorageOptions, 'database_statement_timeout' | 'database_connect_timeout'>>
}

/** Connections of one thread, where the engine has a pool: batches of a store that is locked take two, others go on. */
const connections = 4

/**
 * An ingest whose batches are read and stored in threads, so that neither a large batch nor the disk's flush keeps the
 * server from answering. With several threads, one reads while another writes. They start when they are needed.
 */
export function createIngestPool({ database, threads, storage }: PoolOptions): Ingest {
  const workers: IngestWorker[] = []
  const { database_statement_timeout, database_connect_timeout } = storage
  const options = { database_pool: connections, database_statement_timeout, database_connect_timeout }

  function least(): IngestWorker {
    for (let i = workers.length - 1; i >= 0; i--) if (workers[i]?.ended) workers.splice(i, 1)
    const [idlest] = workers.toSorted((a, b) => a.open_batches - b.open_batches)
    if (idlest && (idlest.open_batches === 0 || workers.length >= threads)) return idlest
    const started = startWorker(database, options)
    workers.push(started)
    return started
  }

  return {
    open: batch => least().open(batch),
    async close() {
      await Promise.all(workers.map(worker => worker.close()))
    },
  }
}
