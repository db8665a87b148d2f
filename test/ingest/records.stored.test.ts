import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { fulfillments, sources } from '../../src/contract/codes.ts'
import { Order } from '../../src/contract/order.ts'
import type { PreparedRecord } from '../../src/ingest/records/prepared.ts'
import { createRecordReader } from '../../src/ingest/records/read.ts'
import { rawNumber as raw } from '../../src/lib/exact-json.ts'
import { orderArbitrary } from '../helpers/order-arbitrary.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'

const reader = createRecordReader()

function read<Kind extends PreparedRecord['kind']>(kind: Kind, record: object | string) {
  const text = typeof record === 'string' ? record : JSON.stringify(record)
  const result = reader.read(1, text)
  if (!result || Array.isArray(result)) throw new Error(`refused: ${text} ${JSON.stringify(result)}`)
  assert.equal(result.kind, kind)
  return result.row as Extract<PreparedRecord, { kind: Kind }>['row']
}

describe('record: an order as it is stored', () => {
  const { kind: _, ...stored } = sampleOrder()

  test('record: a whole order is stored as it was written, without its kind', () => {
    assert.deepEqual(read('order', sampleOrder()), {
      store_id: 1001n,
      id: 'O-1',
      created_at: Date.UTC(2026, 10, 1, 9, 30, 0) / 1000,
      updated_at: Date.UTC(2026, 10, 1, 9, 31, 0) / 1000,
      paid_at: Date.UTC(2026, 10, 1, 9, 30, 40) / 1000,
      subtotal: 450,
      sold: '12:1:1:0',
      doc: JSON.stringify(stored),
    })
  })

  test('record: the least order is stored with every key of spec 2.4, in its order', () => {
    // An order with a payment time comes first: what one order leaves out must not come from the one before.
    read('order', sampleOrder())
    const row = read('order', {
      store_id: 1001,
      kind: 'order',
      created_at: '2026-11-01 09:30:00',
      id: 'O-2',
      status: 3,
    })
    const doc = JSON.parse(row.doc)
    assert.deepEqual(Object.keys(doc), Object.keys(Order.properties))
    const { id, status, created_at, updated_at, store_id, carts, taxes, payments, promotions, ...rest } = doc
    assert.deepEqual([id, status, store_id], ['O-2', 3, 1001])
    assert.deepEqual([created_at, updated_at], ['2026-11-01 09:30:00', '2026-11-01 09:30:00'])
    assert.deepEqual([carts, taxes, payments, promotions], [[], [], [], []])
    assert.deepEqual(new Set(Object.values(rest)), new Set([null]))
    assert.deepEqual([row.paid_at, row.updated_at, row.sold], [null, row.created_at, ''])
  })

  const spellings: Record<string, string> = {
    'with spaces': JSON.stringify(sampleOrder(), null, 2).replaceAll('\n', ' '),
    'with spaces in its lists alone': JSON.stringify(sampleOrder())
      .replaceAll('[', '[ ')
      .replaceAll(']', ' ]'),
    'with its keys in another order': JSON.stringify(
      Object.fromEntries(Object.entries(sampleOrder()).toReversed()),
    ),
    'with its kind last': JSON.stringify({ ...stored, kind: 'order' }),
    'without its labels': JSON.stringify({ ...sampleOrder(), source: undefined, fulfillment: undefined }),
    'with a carriage return': `${JSON.stringify(sampleOrder())}\r`,
    'with escapes that are not needed': JSON.stringify(sampleOrder())
      .replace('"O-1"', '"\\u004f-1"')
      .replace('"2026-11-01 09:31:00"', '"2026\\u002d11-01 09:31:00"')
      .replace('"Front till"', '"Front\\u0020till"')
      .replace('"subtotal"', '"\\u0073ubtotal"')
      .replace('"order"', '"\\u006frder"'),
    'with a key twice, the last being right': JSON.stringify(sampleOrder()).replace(
      '"status":2',
      '"status":"wrong","status":2',
    ),
  }
  for (const [how, text] of Object.entries(spellings)) {
    test(`record: an order written ${how} is stored the same`, () => {
      assert.equal(read('order', text).doc, JSON.stringify(stored))
      assert.equal(read('order', text).sold, '12:1:1:0')
    })
  }

  test('record: a key twice in a cart line, the last wins, and digits are kept', () => {
    const text = JSON.stringify(sampleOrder({ carts: [sampleCart({ price: raw('1.10') })] }))
    const twice = text.replace('"count":1', '"count":"x","count":2.50')
    assert.equal(
      read('order', twice).doc,
      JSON.stringify({ ...stored, carts: [sampleCart({ price: raw('1.10'), count: raw('2.50') })] }),
    )
  })

  for (const number of [
    '113.64',
    '1.10',
    '0',
    '-0.0',
    '1e3',
    '1E-7',
    '999999999999999',
    '0.000000000000000000000000001',
  ]) {
    test(`record: the price ${number} stays ${number}`, () => {
      const { doc } = read('order', sampleOrder({ carts: [sampleCart({ price: raw(number) })] }))
      assert.ok(doc.includes(`"price":${number},`), doc)
    })
  }

  for (const id of [
    '9007199254740993',
    '-9223372036854775808',
    '9223372036854775807',
    '0',
    '1152921504606847001',
  ]) {
    test(`record: the store id ${id} is exact`, () => {
      const row = read('order', sampleOrder({ store_id: raw(id) }))
      assert.equal(row.store_id, BigInt(id))
      assert.ok(row.doc.includes(`"store_id":${id},`))
    })
  }

  test('record: ids of 128 characters beyond the basic plane are taken', () => {
    const id = '😀'.repeat(128)
    assert.equal(read('order', sampleOrder({ id })).id, id)
  })

  test('record: a blank line is no record', () => {
    for (const text of ['', '  ', '\r', '\t']) assert.equal(reader.read(1, text), null)
  })
})

describe('record: what an order adds to the sales', () => {
  const sold = (status: number, ...carts: object[]) =>
    read('order', sampleOrder({ status, carts: carts.map(sampleCart) })).sold

  test('record: paid and partially refunded orders count, refunded ones do not', () => {
    assert.deepEqual(
      [2, 11, 3].map(status => sold(status, {})),
      ['12:1:1:0', '12:1:1:0', ''],
    )
  })

  test('record: lines of one item are added up, exactly', () => {
    const [a, b] = [{ count: 0.1 }, { count: 0.2 }]
    assert.equal(sold(2, a, b, { menu_id: 15, count: raw('0.3550') }), '12:2:0:300000000;15:1:0:355000000')
  })

  test('record: a line without a menu_id does not count', () => {
    assert.equal(
      sold(2, { menu_id: null }, { menu_id: raw('9007199254740993'), count: 3 }),
      '9007199254740993:1:3:0',
    )
  })

  test('record: the status may come behind the carts', () => {
    const { status: _, ...rest } = sampleOrder()
    assert.equal(read('order', { ...rest, status: 3 }).sold, '')
  })
})

describe('record: stores and items as they are stored', () => {
  test('record: an item', () => {
    assert.deepEqual(read('item', sampleItem({ id: raw('9007199254740993'), name: 'Caf\u00e9 "x"' })), {
      store_id: 1001n,
      id: 9007199254740993n,
      updated_at: Date.UTC(2026, 10, 1, 9, 0, 0) / 1000,
      doc: '{"id":9007199254740993,"status":2,"name":"Café \\"x\\"","category_name":"Coffee","price":450}',
    })
  })

  test('record: a store; its merchant’s email is trimmed and in lower case', () => {
    assert.deepEqual(read('store', sampleStore({ merchant: ' Owner@Example.COM ' })), {
      id: 1001n,
      name: 'Harbour Street',
      timezone: 'Australia/Sydney',
      merchant: 'owner@example.com',
      doc: '{"id":1001,"name":"Harbour Street","timezone":"Australia/Sydney"}',
    })
  })

  test('record: a store without merchant leaves its owner as it is, which is not null', () => {
    assert.equal(read('store', sampleStore({ merchant: undefined })).merchant, undefined)
    assert.equal(read('store', sampleStore({ merchant: null })).merchant, null)
  })

  for (const timezone of [
    'UTC',
    'Asia/Kolkata',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+3',
    'Africa/Dar_es_Salaam',
  ]) {
    test(`record: the time zone ${timezone} is taken`, () => {
      assert.equal(read('store', sampleStore({ timezone })).timezone, timezone)
    })
  }
})

test('record: any valid order is stored in its canonical form, however it is written', () => {
  const written = fc.record({
    order: orderArbitrary,
    indent: fc.constantFrom(0, 1),
    shuffle: fc.boolean(),
    omit: fc.boolean(),
  })
  fc.assert(
    fc.property(written, ({ order, indent, shuffle, omit }) => {
      const { source_type, fulfillment_type } = order
      const canonical = JSON.stringify({
        ...order,
        source: source_type === null ? null : sources[source_type as keyof typeof sources],
        fulfillment:
          fulfillment_type === null ? null : fulfillments[fulfillment_type as keyof typeof fulfillments],
      })
      const fields = Object.entries({ kind: 'order', ...order }).filter(
        ([, value]) => !omit || value !== null,
      )
      const record = Object.fromEntries(shuffle ? fields.toReversed() : fields)
      const text = JSON.stringify(record, null, indent).replaceAll('\n', '')
      assert.equal(read('order', text).doc, canonical)
      assert.equal(read('order', canonical.replace('{', '{"kind":"order",')).doc, canonical)
    }),
    { numRuns: 300 },
  )
})
