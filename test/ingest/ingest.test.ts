import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noRecords } from '../../src/contract/record.ts'
import { createRecordWriter, type RecordWriter } from '../../src/ingest/record-writer.ts'
import { ApiError } from '../../src/errors.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { openStorage } from '../helpers/storage.ts'

let storage: Storage
let writer: RecordWriter
before(async () => {
  storage = await openStorage(await emptyDatabase())
  writer = createRecordWriter({ storage })
})
after(() => storage.close())

const lines = (...records: (object | string)[]) =>
  records.map((record, i) => ({
    line: i + 1,
    text: typeof record === 'string' ? record : JSON.stringify(record),
  }))

async function refusal(...records: (object | string)[]): Promise<ApiError> {
  const error = await writer.write(lines(...records)).catch((caught: unknown) => caught)
  assert.ok(error instanceof ApiError)
  assert.equal(error.code, 'record_invalid')
  return error
}

test('ingest: a store with its items and orders is stored, and again changes nothing', async () => {
  const records = lines(sampleStore({ id: 1 }), sampleItem({ store_id: 1 }), '', sampleOrder({ store_id: 1 }))
  assert.deepEqual(await writer.write(records), { ...noRecords, stores: 1, items: 1, orders: 1 })
  assert.deepEqual(await writer.write(records), { ...noRecords, unchanged: 3 })
})

test('ingest: one bad line, and nothing of the batch is stored', async () => {
  await refusal(sampleStore({ id: 2 }), sampleStore({ id: 3, timezone: '' }))
  assert.deepEqual([await storage.stores.exists(2n), await storage.stores.exists(3n)], [false, false])
})

test('ingest: every bad line is named, those of unknown stores too, in the order of the lines', async () => {
  const { message, details } = await refusal(
    sampleStore({ id: 4 }),
    sampleOrder({ store_id: 404 }),
    sampleOrder({ store_id: 4 }),
    sampleOrder({ store_id: 4, status: 1, tips: 'x' }),
    '',
    'nonsense',
  )
  assert.equal(message, '3 lines are invalid, so nothing was stored: 2, 4, 6')
  assert.deepEqual(
    details.map(({ line, field, code }) => [line, field, code]),
    [
      [2, 'store_id', 'store_unknown'],
      [4, 'status', 'code'],
      [4, 'tips', 'type'],
      [6, 'record', 'not_json'],
    ],
  )
  assert.equal(
    details[0]?.message,
    'line 2: store_id is 404; it must be a store that exists or comes in an earlier line',
  )
})

test('ingest: one bad line is reported in the singular', async () => {
  const { message } = await refusal(sampleOrder({ store_id: 404 }))
  assert.equal(message, 'Line 1 is invalid, so nothing was stored')
})

test('ingest: the message names every bad line, also where details have the first 1000 problems', async () => {
  const { message, details } = await refusal(
    ...Array(1500).fill('x'),
    '',
    'x',
    sampleStore({ id: 5 }),
    'x',
    'x',
  )
  assert.equal(details.length, 1000)
  assert.equal(
    message,
    '1503 lines are invalid, so nothing was stored: 1-1500, 1502, 1504-1505; details name the first 1000 of 1503 problems',
  )
})

test('ingest: a record may follow its store in the same batch, not precede it', async () => {
  const { details } = await refusal(
    sampleItem({ store_id: 6 }),
    sampleOrder({ store_id: 6 }),
    sampleStore({ id: 6 }),
    sampleOrder({ store_id: 6 }),
  )
  assert.deepEqual(
    details.map(({ line, code }) => [line, code]),
    [
      [1, 'store_unknown'],
      [2, 'store_unknown'],
    ],
  )
})

test('ingest: a batch of several parts is one transaction, in the order of its lines', async () => {
  const orders = Array.from({ length: 5000 }, (_, i) =>
    sampleOrder({ store_id: 7, id: `o${i % 4990}`, tips: i, updated_at: '2026-11-01 09:31:00' }),
  )
  const records = [sampleStore({ id: 7 }), ...orders, sampleStore({ id: 7, name: 'Renamed' })]
  await refusal(...records, sampleOrder({ store_id: 404 }))
  assert.equal(await storage.stores.exists(7n), false)
  assert.deepEqual(await writer.write(lines(...records)), { ...noRecords, stores: 2, orders: 5000 })
  const again = { ...noRecords, stores: 2, orders: 20, unchanged: 4980 }
  assert.deepEqual(await writer.write(lines(...records)), again)
})

test('ingest: parallel writers say exactly which versions were stale', async () => {
  await writer.write(lines(sampleStore({ id: 8 })))
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, minute) =>
      writer.write(
        lines(
          sampleOrder({ store_id: 8, updated_at: `2026-11-01 10:${String(minute).padStart(2, '0')}:00` }),
        ),
      ),
    ),
  )
  const sum = (kind: 'orders' | 'stale') => all.reduce((total, counts) => total + counts[kind], 0)
  assert.equal(sum('orders') + sum('stale'), 12)
  assert.equal(all[11]?.orders, 1)
})

test('ingest: parallel writers of one order leave the newest, in any order of arrival', async () => {
  await writer.write(lines(sampleStore({ id: 5 })))
  const minutes = [7, 3, 9, 1, 8, 2, 6, 4, 5]
  const write = (minute: number) =>
    writer.write(lines(sampleOrder({ store_id: 5, updated_at: `2026-11-01 10:0${minute}:00` })))
  await Promise.all(minutes.map(write))
  assert.deepEqual(await write(8), { ...noRecords, stale: 1 })
  assert.deepEqual(await write(9), { ...noRecords, unchanged: 1 })
})
