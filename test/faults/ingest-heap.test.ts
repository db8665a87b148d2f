import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import type { Ingest, IngestBatch } from '../../src/ingest/ingest.ts'
import { createIngestPool } from '../../src/ingest/threads/pool.ts'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { byTest } from '../helpers/by.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { sampleStore } from '../helpers/orders.ts'
import { databaseEnvironment, openStorage } from '../helpers/storage.ts'

async function withStore(pool: Ingest): Promise<IngestBatch> {
  const batch = pool.open({ by: byTest })
  await batch.push(Buffer.from(`${JSON.stringify(sampleStore({ id: 1 }))}\n`))
  return batch
}

test('a batch that a thread’s heap cannot hold is 413, because it would fail again; another batch is not', async t => {
  const database = await emptyDatabase({ shared: true })
  await (await openStorage(database)).close()
  const heap = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 }
  const pool = createIngestPool({ database, threads: 1, storage: readConfig(databaseEnvironment), heap })
  t.after(() => pool.close())
  const small = await withStore(pool)
  const large = pool.open({ by: byTest })
  // The numbers of bad lines stay in the heap until the answer.
  const bad = Buffer.from('1\n'.repeat(100_000))
  await assert.rejects(
    async () => {
      for (let i = 0; i < 100; i++) await large.push(bad)
    },
    { code: 'body_too_large', message: /fits into 24 MB/ },
  )
  await assert.rejects(small.commit(), StorageUnavailable)
  const next = await withStore(pool)
  assert.equal('counts' in (await next.commit()), true)
})
