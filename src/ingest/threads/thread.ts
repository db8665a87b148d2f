import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createRecordWriter } from '../record-writer.ts'
import { createIngest, type IngestBatch } from '../ingest.ts'
import { openStorage, type StorageOptions } from '../../storage/open.ts'
import { type Answer, type Request, toFailure } from './messages.ts'

/** A worker thread that reads and stores batches over its own database connection. */
const { database, options } = workerData as { database: string; options: StorageOptions }
const port = parentPort as MessagePort
const storage = await openStorage(database, { ...options, migrated: true })
const ingest = createIngest(createRecordWriter({ storage }))
const batches = new Map<number, IngestBatch>()
const answer = (message: Answer): void => port.postMessage(message)

async function push(id: number, piece: Uint8Array): Promise<void> {
  const batch = batches.get(id)
  try {
    await batch?.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    answer({ type: 'pushed', id, size: batch?.size ?? 0 })
  } catch (error) {
    abandon(id)
    answer({ type: 'pushed', id, size: 0, failure: toFailure(error) })
  }
}

async function commit(id: number): Promise<void> {
  const batch = batches.get(id)
  batches.delete(id)
  try {
    if (batch) answer({ type: 'committed', id, outcome: await batch.commit() })
  } catch (error) {
    answer({ type: 'failed', id, failure: toFailure(error) })
  } finally {
    batch?.abandon()
  }
}

function abandon(id: number): void {
  batches.get(id)?.abandon()
  batches.delete(id)
}

port.on('message', (request: Request) => {
  switch (request.type) {
    case 'open':
      batches.set(request.id, ingest.open(request.options))
      return
    case 'push':
      return void push(request.id, request.piece)
    case 'commit':
      return void commit(request.id)
    case 'abandon':
      return abandon(request.id)
    case 'close':
      // The port closes last because it keeps the thread alive.
      return void storage.close().finally(() => port.close())
  }
})
answer({ type: 'ready' })
