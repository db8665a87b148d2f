import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { importRecords, newImport } from '../../src/cli/import/records.ts'
import { noRecords } from '../../src/contract/record.ts'
import { readConfig } from '../../src/config.ts'
import type { Ingest, IngestBatch } from '../../src/ingest/ingest.ts'
import { createIngestPool } from '../../src/ingest/threads/pool.ts'
import { type Storage, StorageUnavailable } from '../../src/storage/port/index.ts'
import { byTest } from '../helpers/by.ts'
import { emptyDatabase, sqliteAlone } from '../helpers/engine.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { databaseEnvironment, openStorage } from '../helpers/storage.ts'

/** Records read and stored in threads: what the platform's requests and `tillgate import` go through. */

let database: string
let storage: Storage
let ingest: Ingest

before(async () => {
  database = await emptyDatabase({ shared: true })
  storage = await openStorage(database)
  ingest = createIngestPool({ database, threads: 2, storage: readConfig(databaseEnvironment) })
})
after(async () => {
  await ingest.close()
  await storage.close()
})

const bytes = (...records: object[]) =>
  Buffer.from(records.map(record => `${JSON.stringify(record)}\n`).join(''))

async function pushed(batch: IngestBatch, ...records: object[]): Promise<IngestBatch> {
  await batch.push(bytes(...records))
  return batch
}

test('what is committed is stored; what is abandoned is not', async () => {
  const kept = await pushed(ingest.open({ by: byTest }), sampleStore({ id: 1, merchant: null }))
  const dropped = await pushed(ingest.open({ by: byTest }), sampleStore({ id: 2 }))
  dropped.abandon()
  assert.deepEqual(await kept.commit(), {
    records: 1,
    counts: { ...noRecords, stores: 1 },
    stale: [],
    warnings: [],
    newest: null,
    moves: [],
  })
  assert.equal(await storage.stores.exists(1n), true)
  assert.equal(await storage.stores.exists(2n), false)
})

test('small batches share a thread; a large one, or one of unknown size, gets its own', async () => {
  let started = 0
  const count = () => void started++
  process.on('worker', count)
  const pool = createIngestPool({ database, threads: 3, storage: readConfig(databaseEnvironment) })
  const large = 1024 * 1024
  const seen: number[] = []
  for (const announced of [undefined, 1000, 2000, large, 3000, undefined, large, 4000]) {
    pool.open({ by: byTest, announced })
    // Node emits the event at the end of the turn.
    await new Promise(setImmediate)
    seen.push(started)
  }
  process.off('worker', count)
  await pool.close()
  assert.deepEqual(seen, [1, 2, 2, 3, 3, 3, 3, 3])
})

test('the threads give way to the one that answers', {
  skip: process.platform !== 'linux' && 'is about Linux',
}, async () => {
  const batch = await pushed(ingest.open({ by: byTest }), sampleStore({ id: 3 }))
  await batch.commit()
  const own = getPriority()
  const tasks = readdirSync('/proc/self/task').map(task => ({
    task,
    // What stands before it is in brackets, and may have spaces in it.
    nice: Number(readFileSync(`/proc/self/task/${task}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]),
  }))
  assert.equal(tasks.find(({ task }) => task === String(process.pid))?.nice, own)
  assert.ok(tasks.some(({ nice }) => nice === Math.min(19, own + 5)))
})

test('many batches at once are each all or nothing', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const bad = i % 5 === 0 ? [{ kind: 'store' }] : []
      const batch = await pushed(ingest.open({ by: byTest }), sampleStore({ id: 100 + i }), ...bad)
      return 'refused' in (await batch.commit())
    }),
  )
  for (const [i, refused] of outcomes.entries()) {
    assert.equal(refused, i % 5 === 0)
    assert.equal(await storage.stores.exists(BigInt(100 + i)), !refused)
  }
})

test('a bad line is named by its place behind the lines that came before', async () => {
  const batch = await pushed(ingest.open({ by: byTest, after: 40 }), sampleStore({ id: 3 }), { kind: 'x' })
  const outcome = await batch.commit()
  assert.ok('refused' in outcome)
  assert.deepEqual(
    outcome.refused.details.map(({ line }) => line),
    [42],
  )
})

test('a batch beyond its lines is refused, and the thread goes on', async () => {
  const batch = ingest.open({ by: byTest, limits: { lines: 2, size: 1_000_000 } })
  await batch.push(bytes(sampleStore({ id: 4 }), sampleStore({ id: 5 }), sampleStore({ id: 6 })))
  await assert.rejects(batch.commit(), { code: 'body_too_large' })
  batch.abandon()
  assert.equal(await storage.stores.exists(4n), false)
  const next = await pushed(ingest.open({ by: byTest }), sampleStore({ id: 7 }))
  assert.equal('counts' in (await next.commit()), true)
})

test('a sender who is faster than the thread waits, and every byte arrives', async () => {
  const batch = ingest.open({ by: byTest })
  await batch.push(bytes(sampleStore({ id: 8 })))
  const all = bytes(...Array.from({ length: 3000 }, (_, i) => sampleOrder({ store_id: 8, id: `o${i}` })))
  for (let at = 0; at < all.length; at += 70_001) await batch.push(all.subarray(at, at + 70_001))
  const outcome = await batch.commit()
  assert.ok('counts' in outcome)
  assert.equal(outcome.counts.orders, 3000)
})

test('import: of a record in several batches the last line wins, and batches are stored in order', async () => {
  const state = newImport()
  const items = Array.from({ length: 12_999 }, (_, i) =>
    sampleItem({ store_id: 9, id: 1 + (i % 7), name: `n${i}`, updated_at: '2026-11-01 09:00:00' }),
  )
  const stored: number[] = []
  await importRecords({
    pieces: (async function* () {
      yield bytes(sampleStore({ id: 9 }), ...items)
    })(),
    ingest,
    by: byTest,
    state,
    signal: new AbortController().signal,
    onBatch: () => stored.push(state.stored_through),
  })
  assert.equal(state.bad, null)
  assert.deepEqual(stored, [4000, 8000, 12_000, 13_000])
  assert.equal(state.counts.items, 12_999)
  assert.match(await itemsOf(9n), /"name":"n12998"/)
})

async function itemsOf(store_id: bigint): Promise<string> {
  const app = {
    id: 'reader',
    name: 'R',
    scope: 'integration.store integration.order integration.inventory',
    redirect_uris: [],
    public: false,
    created_at: 0,
  }
  const rest = { website: null, publisher: null, owner_id: null, disabled_at: null, disabled_by_owner: false }
  await storage.apps.create({ ...app, ...rest }, null)
  await storage.authorizations.save(
    {
      id: 'l',
      app_id: 'reader',
      account_id: null,
      scope: 'integration.store integration.order integration.inventory',
    },
    [store_id],
    'add',
    1,
  )
  const claim = { app_id: 'reader', authorization_id: null, jti: 'j' }
  const { chunk } = await storage.items.page({
    claim,
    query: { store_id, updated_after: null },
    offset: 0,
    limit: 10,
  })
  return Buffer.concat(chunk?.parts ?? []).toString()
}

test('a thread that cannot open its database fails its batches; a later one has another chance', {
  skip: sqliteAlone,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-'))
  const file = join(folder, 'x.db')
  const pool = createIngestPool({ database: file, threads: 1, storage: readConfig(databaseEnvironment) })
  await assert.rejects(async () => {
    const batch = await pushed(pool.open({ by: byTest }), sampleStore({ id: 1 }))
    await batch.commit()
  }, StorageUnavailable)
  assert.equal(existsSync(file), false, 'a thread creates no database')
  await (await openStorage(file)).close()
  const batch = await pushed(pool.open({ by: byTest }), sampleStore({ id: 1 }))
  assert.equal('counts' in (await batch.commit()), true)
  await pool.close()
  rmSync(folder, { recursive: true })
})
