import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decide as decideChanges, keysOf } from '../../src/ingest/records/decide.ts'
import type { PreparedRecord } from '../../src/ingest/records/prepared.ts'
import { createRecordReader } from '../../src/ingest/records/read.ts'
import { Tally } from '../../src/ingest/records/tally.ts'
import { bucketWidths } from '../../src/domain/reading/sales-buckets.ts'
import type { Rows } from '../../src/storage/port/index.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'

const reader = createRecordReader()

const prepare = (...records: object[]): PreparedRecord[] =>
  records.map((record, index) => {
    const read = reader.read(index + 1, JSON.stringify(record))
    if (!read || Array.isArray(read)) throw new Error(JSON.stringify(read))
    return read
  })

const noon = Date.UTC(2026, 10, 1, 12) / 1000

function decide(records: PreparedRecord[], existing: Rows, now = noon) {
  const tally = new Tally()
  return { ...decideChanges(records, existing, now, tally), counts: tally.counts, stale: tally.stale }
}

/** The rows that these records leave behind in an empty database. */
function stored(...records: object[]): Rows {
  const { stores, items, orders } = decide(prepare(sampleStore(), ...records), {
    stores: [],
    items: [],
    orders: [],
  })
  return { stores, items, orders: orders.map(({ row }) => row) }
}

const after = (existing: Rows, ...records: object[]) => decide(prepare(...records), existing)

const nothing = { stores: 0, items: 0, orders: 0, unchanged: 0, stale: 0 }

/** The days' deltas as text: day, item, lines, units, nanos. */
const days = ({ rollups }: ReturnType<typeof decide>): string[] =>
  rollups
    .filter(({ width }) => width === bucketWidths[0])
    .map(({ bucket, item_id, lines, units, nanos }) => {
      const day = new Date(bucket * 1000).toISOString().slice(5, 10)
      return `${day} ${item_id}: ${lines} ${units} ${nanos}`
    })
    .sort()

const soldIn = (day: string, ...sums: string[]): string[] => sums.map(sum => `${day} ${sum}`)

const at = (minute: number) => `2026-11-01 09:${String(minute).padStart(2, '0')}:00`

describe('decide: orders', () => {
  test('decide: a new order is added, with its sales in every width', () => {
    const decision = after(stored(), sampleOrder())
    assert.deepEqual(decision.counts, { ...nothing, orders: 1 })
    assert.deepEqual(
      decision.orders.map(({ was_created_at }) => was_created_at),
      [null],
    )
    const created_at = Date.UTC(2026, 10, 1, 9, 30) / 1000
    assert.deepEqual(
      decision.rollups,
      bucketWidths.map(width => ({
        store_id: 1001n,
        width,
        bucket: created_at - (created_at % width),
        item_id: 12n,
        lines: 1n,
        units: 1n,
        nanos: 0n,
      })),
    )
  })

  test('decide: an identical order is unchanged, however it is written', () => {
    const decision = after(
      stored(sampleOrder()),
      Object.fromEntries(Object.entries(sampleOrder()).toReversed()),
    )
    assert.deepEqual(decision.counts, { ...nothing, unchanged: 1 })
    assert.deepEqual([decision.orders, decision.rollups], [[], []])
  })

  const versions = [
    { name: 'an older order never overwrites a newer one', updated_at: at(30), status: 3, changes: false },
    { name: 'a newer order overwrites', updated_at: at(32), status: 3, changes: true },
    {
      name: 'an order of the same second with other content overwrites',
      updated_at: at(31),
      status: 3,
      changes: true,
    },
    {
      name: 'a newer order that is otherwise equal overwrites',
      updated_at: at(32),
      status: 2,
      changes: true,
    },
  ]
  for (const { name, updated_at, status, changes } of versions) {
    test(`decide: ${name}`, () => {
      const { counts, orders } = after(stored(sampleOrder()), sampleOrder({ updated_at, status }))
      assert.deepEqual(counts, { ...nothing, ...(changes ? { orders: 1 } : { stale: 1 }) })
      assert.equal(orders.length, changes ? 1 : 0)
    })
  }

  test('decide: paid → partially refunded → refunded: the sales go with the last', () => {
    const partial = sampleOrder({ status: 11, updated_at: at(40) })
    const refunded = sampleOrder({ status: 3, updated_at: at(50) })
    assert.deepEqual(days(after(stored(sampleOrder()), partial)), [])
    assert.deepEqual(days(after(stored(partial), refunded)), soldIn('11-01', '12: -1 -1 0'))
    assert.deepEqual(
      days(after(stored(refunded), sampleOrder({ updated_at: at(55) }))),
      soldIn('11-01', '12: 1 1 0'),
    )
  })

  test('decide: changed cart lines change the sales by the difference', () => {
    const carts = [sampleCart({ count: 0.5 }), sampleCart({ menu_id: 15, count: 2 })]
    const decision = after(stored(sampleOrder()), sampleOrder({ carts, updated_at: at(40) }))
    assert.deepEqual(days(decision), soldIn('11-01', '12: 0 -1 500000000', '15: 1 2 0'))
  })

  test('decide: what fractions added is taken away again', () => {
    const carts = [sampleCart({ count: 0.4 }), sampleCart({ count: 0.3 })]
    const decision = after(stored(sampleOrder({ carts })), sampleOrder({ status: 3, updated_at: at(40) }))
    assert.deepEqual(days(decision), soldIn('11-01', '12: -2 0 -700000000'))
  })

  test('decide: a moved created_at moves the sales, and the row from where it was', () => {
    const decision = after(
      stored(sampleOrder()),
      sampleOrder({ created_at: '2026-11-02 10:00:00', updated_at: at(40) }),
    )
    assert.deepEqual(days(decision), [...soldIn('11-01', '12: -1 -1 0'), ...soldIn('11-02', '12: 1 1 0')])
    assert.deepEqual(
      decision.orders.map(({ was_created_at }) => was_created_at),
      [Date.UTC(2026, 10, 1, 9, 30) / 1000],
    )
  })

  test('decide: a created_at moved within its hour leaves the sums alone', () => {
    const decision = after(stored(sampleOrder()), sampleOrder({ created_at: at(10), updated_at: at(40) }))
    assert.deepEqual([decision.orders.length, decision.rollups], [1, []])
  })

  test('decide: an order before 1970 falls into the bucket that begins before it', () => {
    const decision = after(stored(), sampleOrder({ created_at: '1969-12-31 23:59:59' }))
    assert.deepEqual(
      decision.rollups.map(({ bucket }) => bucket),
      bucketWidths.map(width => -width),
    )
  })
})

describe('decide: a batch', () => {
  test('decide: an order that comes several times is written once, as the last one left it', () => {
    const decision = after(
      stored(sampleOrder({ updated_at: at(30) })),
      sampleOrder({ updated_at: at(40), created_at: '2026-11-02 10:00:00' }),
      sampleOrder({ updated_at: at(50), created_at: '2026-11-03 10:00:00' }),
      sampleOrder({ updated_at: at(45), status: 3 }),
    )
    assert.deepEqual(decision.counts, { ...nothing, orders: 2, stale: 1 })
    const [change, ...others] = decision.orders
    assert.deepEqual(others, [])
    assert.equal(change?.was_created_at, Date.UTC(2026, 10, 1, 9, 30) / 1000)
    assert.equal(change?.row.created_at, Date.UTC(2026, 10, 3, 10) / 1000)
    assert.deepEqual(days(decision), [...soldIn('11-01', '12: -1 -1 0'), ...soldIn('11-03', '12: 1 1 0')])
  })

  test('decide: a new order that comes twice is one order, and its repetition is unchanged', () => {
    const decision = after(stored(), sampleOrder(), sampleOrder())
    assert.deepEqual(decision.counts, { ...nothing, orders: 1, unchanged: 1 })
    assert.equal(decision.orders.length, 1)
    assert.deepEqual(days(decision), soldIn('11-01', '12: 1 1 0'))
  })

  test('decide: each row is asked for once, and orders of two stores may share an id', () => {
    const records = prepare(
      sampleOrder(),
      sampleOrder(),
      sampleOrder({ store_id: 2 }),
      sampleItem(),
      sampleItem(),
    )
    assert.deepEqual(keysOf(records), {
      store_ids: [],
      items: [{ store_id: 1001n, id: 12n }],
      orders: [
        { store_id: 1001n, id: 'O-1' },
        { store_id: 2n, id: 'O-1' },
      ],
    })
  })

  test('decide: orders of two stores with one id are two orders', () => {
    const other = sampleStore({ id: 2 })
    const decision = after(stored(), other, sampleOrder(), sampleOrder({ store_id: 2 }))
    assert.deepEqual(decision.counts, { ...nothing, stores: 1, orders: 2 })
    assert.deepEqual(
      decision.orders.map(({ row }) => row.store_id),
      [1001n, 2n],
    )
  })
})

describe('decide: stores and items', () => {
  test('decide: an identical store is unchanged, another name or merchant is a change', () => {
    assert.deepEqual(after(stored(), sampleStore()).counts, { ...nothing, unchanged: 1 })
    for (const change of [{ name: 'Quay' }, { merchant: 'other@example.com' }, { merchant: null }]) {
      const decision = after(stored(), sampleStore(change))
      assert.deepEqual(decision.counts, { ...nothing, stores: 1 })
      assert.equal(decision.stores.length, 1)
    }
  })

  test('decide: an item is deleted, and returns', () => {
    const deleted = sampleItem({ status: 4, updated_at: at(10) })
    assert.deepEqual(after(stored(sampleItem()), deleted).counts, { ...nothing, items: 1 })
    assert.deepEqual(after(stored(deleted), sampleItem()).counts, { ...nothing, stale: 1 })
    assert.deepEqual(after(stored(deleted), sampleItem({ updated_at: at(20) })).counts, {
      ...nothing,
      items: 1,
    })
  })

  test('decide: an item that is only newer is a change, so that one in between does not overwrite it later', () => {
    const newer = sampleItem({ updated_at: at(20) })
    assert.deepEqual(after(stored(sampleItem()), newer).counts, { ...nothing, items: 1 })
    const late = sampleItem({ updated_at: at(10), price: 1 })
    assert.deepEqual(after(stored(sampleItem(), newer), late).counts, { ...nothing, stale: 1 })
  })

  test('decide: a store without merchant keeps its owner, also one of an earlier line; null removes it', () => {
    const { merchant: _, ...renamed } = sampleStore({ name: 'Quay' })
    const decision = after(stored(), renamed)
    assert.deepEqual(decision.counts, { ...nothing, stores: 1 })
    assert.equal(decision.stores[0]?.merchant, 'owner@example.com')
    const { merchant: __, ...same } = sampleStore()
    assert.deepEqual(after(stored(), same).counts, { ...nothing, unchanged: 1 })
    const moved = after(stored(), sampleStore({ merchant: 'new@example.com' }), renamed)
    assert.equal(moved.stores[0]?.merchant, 'new@example.com')
    assert.equal(after(stored(), sampleStore({ merchant: null }), renamed).stores[0]?.merchant, null)
    const none = { stores: [], items: [], orders: [] }
    assert.equal(after(none, renamed).stores[0]?.merchant, null)
  })
})

describe('decide: stale records', () => {
  const order = (minute: number) => sampleOrder({ updated_at: at(minute) })
  const time = (minute: number) => Date.UTC(2026, 10, 1, 9, minute) / 1000

  test('decide: a stale record is named with its time and the newer one, of the database or of an earlier line', () => {
    const { counts, stale } = after(stored(order(30)), order(20), order(40), order(35), order(40))
    assert.deepEqual(counts, { ...nothing, orders: 1, stale: 2, unchanged: 1 })
    assert.deepEqual(stale, [
      { line: 1, kind: 'order', id: 'O-1', updated_at: time(20), stored_updated_at: time(30) },
      { line: 3, kind: 'order', id: 'O-1', updated_at: time(35), stored_updated_at: time(40) },
    ])
  })

  test('decide: all stale records are counted, and the first 100 are named', () => {
    const { counts, stale } = after(stored(order(30)), ...Array.from({ length: 101 }, () => order(20)))
    assert.deepEqual([counts.stale, stale.length, stale.at(-1)?.line], [101, 100, 100])
  })

  test('decide: a stored time more than 24 hours ahead makes nothing stale', () => {
    const now = Date.UTC(2026, 9, 31, 9, 30) / 1000
    const existing = stored(sampleOrder({ updated_at: '2026-11-01 09:30:01' }))
    const late = prepare(sampleOrder({ updated_at: '2026-10-31 09:00:00', tips: 5 }))
    assert.deepEqual(decide(late, existing, now).counts, { ...nothing, orders: 1 })
    assert.deepEqual(decide(late, existing, now + 1).counts, { ...nothing, stale: 1 })
  })
})
