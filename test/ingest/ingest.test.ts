import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createRecordWriter, type RecordWriter } from '../../src/ingest/record-writer.ts'
import { ApiError } from '../../src/errors.ts'
import { openStorage } from '../../src/storage/open.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'

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
  assert.deepEqual(await writer.write(records), { stores: 1, items: 1, orders: 1, unchanged: 0 })
  assert.deepEqual(await writer.write(records), { stores: 0, items: 0, orders: 0, unchanged: 3 })
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

test('ingest: one bad line is told in the singular', async () => {
  const { message } = await refusal(sampleOrder({ store_id: 404 }))
  assert.equal(message, 'Line 1 is invalid, so nothing was stored')
})

test('ingest: details name the first 1000 problems and the message counts the rest', async () => {
  const { message, details } = await refusal(...Array(1500).fill('x'))
  assert.equal(details.length, 1000)
  assert.match(
    message,
    /^1500 lines .*: 1, 2, .* and 1480 more; details name the first 1000 of 1500 problems$/,
  )
})

test('ingest: parallel writers of one order leave the newest, whoever comes last', async () => {
  await writer.write(lines(sampleStore({ id: 5 })))
  const minutes = [7, 3, 9, 1, 8, 2, 6, 4, 5]
  const write = (minute: number) =>
    writer.write(lines(sampleOrder({ store_id: 5, updated_at: `2026-11-01 10:0${minute}:00` })))
  await Promise.all(minutes.map(write))
  assert.deepEqual(await write(8), { stores: 0, items: 0, orders: 0, unchanged: 1 })
  assert.deepEqual(await write(9), { stores: 0, items: 0, orders: 0, unchanged: 1 })
})
