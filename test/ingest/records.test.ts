import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  fulfillments,
  itemStatuses,
  itemTypes,
  orderStatuses,
  paymentPlatforms,
  paymentTypes,
  promotionTypes,
  sources,
  unitTypes,
} from '../../src/contract/codes.ts'
import { detailOf } from '../../src/ingest/records/problems.ts'
import { createRecordReader } from '../../src/ingest/records/read.ts'
import { badRecords } from '../helpers/bad-records.ts'
import { sampleCart, sampleItem, sampleOrder } from '../helpers/orders.ts'

const reader = createRecordReader()

function problemsOf(text: string): string[] {
  const read = reader.read(3, text)
  assert.ok(Array.isArray(read), `accepted: ${text}`)
  return read.map(problem => `${problem.rule} ${detailOf(3, problem).message}`)
}

function docOf(record: object | string): string {
  const text = typeof record === 'string' ? record : JSON.stringify(record)
  const read = reader.read(3, text)
  if (read && !Array.isArray(read)) return read.row.doc
  throw new Error(`refused: ${JSON.stringify(read)}`)
}

const without = (record: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

const cart = (overrides: object) => sampleOrder({ carts: [sampleCart(), sampleCart(overrides)] })

describe('record: refused', () => {
  for (const { name, record, problems } of badRecords) {
    test(`record: ${name} is refused`, () => {
      assert.deepEqual(problemsOf(typeof record === 'string' ? record : JSON.stringify(record)), problems)
    })
  }

  test('record: the problems of one line are no more than 100', () => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, 1]))
    assert.equal(problemsOf(JSON.stringify(sampleOrder(fields))).length, 100)
  })

  test('record: a bad line leaves nothing behind for the next one', () => {
    problemsOf(JSON.stringify(cart({ tid: 'x' })))
    problemsOf('{"kind":"order","carts":[{"tid":"x"')
    assert.equal(docOf(sampleOrder()), JSON.stringify(without(sampleOrder(), 'kind')))
  })
})

/** Every code of every table in, and one out of it. */
const tables: { field: string; table: object; out: number; record: (code: number) => object }[] = [
  { field: 'status', table: orderStatuses, out: 1, record: status => sampleOrder({ status }) },
  { field: 'source_type', table: sources, out: 5, record: source_type => sampleOrder({ source_type }) },
  {
    field: 'fulfillment_type',
    table: fulfillments,
    out: 0,
    record: fulfillment_type => sampleOrder({ fulfillment_type }),
  },
  { field: 'carts[1].type', table: itemTypes, out: 3, record: type => cart({ type }) },
  { field: 'carts[1].unit_type', table: unitTypes, out: 2, record: unit_type => cart({ unit_type }) },
  {
    field: 'payments[0].type',
    table: paymentTypes,
    out: 4,
    record: type => sampleOrder({ payments: [{ type, amount: 1 }] }),
  },
  {
    field: 'payments[0].platform',
    table: paymentPlatforms,
    out: 5,
    record: platform => sampleOrder({ payments: [{ type: 1, platform, amount: 1 }] }),
  },
  {
    field: 'promotions[0].type',
    table: promotionTypes,
    out: 26,
    record: type => sampleOrder({ promotions: [{ type, discount_amount: 1 }] }),
  },
  {
    field: 'promotions[0].items[0].type',
    table: itemTypes,
    out: 23,
    record: type =>
      sampleOrder({ promotions: [{ type: 20, discount_amount: 1, items: [{ type, discount_amount: 1 }] }] }),
  },
  { field: 'status', table: itemStatuses, out: 3, record: status => sampleItem({ status }) },
]

describe('record: codes', () => {
  for (const { field, table, out, record } of tables) {
    const codes = Object.keys(table).map(Number)
    test(`record: ${field} takes every code of its table and refuses ${out}`, () => {
      for (const code of codes) docOf(record(code))
      const [problem, ...others] = problemsOf(JSON.stringify(record(out)))
      assert.match(
        problem ?? '',
        new RegExp(
          `^code line 3: ${field.replace(/[[\]]/g, '\\$&')} is ${out}; it must be one of ${codes.join(', ')}`,
        ),
      )
      assert.deepEqual(others, [])
    })
  }

  for (const [code, label] of Object.entries(sources)) {
    test(`record: the source of code ${code} is filled in: ${label}`, () => {
      const doc = JSON.parse(docOf(sampleOrder({ source_type: Number(code), source: 'anything' })))
      assert.equal(doc.source, label)
    })
  }

  for (const [code, label] of Object.entries(fulfillments)) {
    test(`record: the fulfillment of code ${code} is filled in: ${label}`, () => {
      const doc = JSON.parse(docOf(without(sampleOrder({ fulfillment_type: Number(code) }), 'fulfillment')))
      assert.equal(doc.fulfillment, label)
    })
  }

  test('record: a label without a code becomes null', () => {
    const doc = JSON.parse(docOf(sampleOrder({ source_type: null, source: 'Online' })))
    assert.equal(doc.source, null)
  })
})

test('record: a line that fails on its second reading is refused, and the next line is none the worse', () => {
  const reader = createRecordReader()
  const start = '{"kind":"order","store_id":1,"status":2,"created_at":"2026-10-01 00:00:00","id":"a","id":"b"'
  const bad = [
    `${start},"bar":1,"foo":${'['.repeat(50)}${']'.repeat(50)}}`,
    `${start}, garbage`,
    `${start}} x`,
  ]
  for (const line of bad) {
    assert.ok(Array.isArray(reader.read(1, line)), line)
    const next = reader.read(2, `${start}}`)
    assert.ok(next !== null && !Array.isArray(next), `${line} spoils the next line`)
  }
})
