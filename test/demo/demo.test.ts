import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import * as codes from '../../src/contract/codes.ts'
import type { OrderRecord } from '../../src/contract/record.ts'
import { places } from '../../src/demo/places.ts'
import { type DemoOptions, type DemoRecord, demoRecords, neighbour } from '../../src/demo/records.ts'
import { createRecordReader } from '../../src/ingest/records/read.ts'
import { parseDatetime } from '../../src/lib/datetime.ts'

// 2026-11-15 02:00:00 UTC: clocks changed in Sydney, London and New York within the 90 days before.
const end = 1_794_708_000
const standard: DemoOptions = { stores: 6, orders: 6000, days: 90, seed: 1, end }

const records = [...demoRecords(standard)]
const stores = records.filter(record => record.kind === 'store')
const items = records.filter(record => record.kind === 'item')
const orders = records.filter((record): record is OrderRecord => record.kind === 'order')
const lines = orders.flatMap(order => order.carts)

const seconds = (text: string | null): number => {
  const value = parseDatetime(text ?? '')
  assert.ok(value !== null, `${text} is a datetime`)
  return value
}

function digest(options: DemoOptions): string {
  const hash = createHash('sha256')
  for (const record of demoRecords(options)) hash.update(JSON.stringify(record))
  return hash.digest('hex')
}

describe('the demo’s records', () => {
  test('are the same bytes for the same options', () => {
    assert.equal(digest(standard), digest({ ...standard }))
  })

  test('are others for another seed', () => {
    const seeds = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]
    assert.equal(new Set(seeds.map(seed => digest({ ...standard, orders: 600, seed }))).size, seeds.length)
  })

  for (const [stores, orders, days] of [
    [1, 1, 1],
    [2, 999, 1],
    [7, 5, 30],
    [13, 4001, 400],
  ] as const) {
    test(`are exactly as many as asked for: ${stores} stores, ${orders} orders, ${days} days`, () => {
      const counts = { store: 0, item: 0, order: 0 }
      const ids = new Set<string>()
      for (const record of demoRecords({ stores, orders, days, seed: 5, end })) {
        counts[record.kind]++
        ids.add(record.kind === 'store' ? `store ${record.id}` : `${record.store_id} ${record.id}`)
        if (record.kind === 'order') {
          assert.ok(seconds(record.created_at) >= end - days * 86_400)
          assert.ok(seconds(record.created_at) <= end)
        }
      }
      assert.deepEqual({ stores: counts.store, orders: counts.order }, { stores, orders })
      assert.equal(ids.size, stores + orders + counts.item)
    })
  }

  test('come as stores, items, orders, and a store’s orders oldest first', () => {
    const rank: Record<DemoRecord['kind'], number> = { store: 0, item: 1, order: 2 }
    const keys = records.map(record =>
      record.kind === 'order' ? [2, record.store_id, seconds(record.created_at)] : [rank[record.kind], 0, 0],
    )
    const sorted = keys.toSorted(compare)
    assert.deepEqual(keys, sorted)
  })

  test('are all valid records', () => {
    const reader = createRecordReader()
    for (const [index, record] of records.entries()) {
      const read = reader.read(index + 1, JSON.stringify(record))
      assert.ok(read !== null)
      if (Array.isArray(read)) assert.fail(`${JSON.stringify(read)} in ${JSON.stringify(record)}`)
    }
  })
})

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return (a[at] ?? 0) - (b[at] ?? 0)
}

describe('a demo of the default size shows every code', () => {
  const tables: [name: string, table: object, seen: (number | null)[]][] = [
    ['order status', codes.orderStatuses, orders.map(order => order.status)],
    ['source', codes.sources, orders.map(order => order.source_type)],
    ['fulfillment', codes.fulfillments, orders.map(order => order.fulfillment_type)],
    ['item type', codes.itemTypes, lines.map(line => line.type)],
    ['unit type', codes.unitTypes, lines.map(line => line.unit_type)],
    ['payment type', codes.paymentTypes, orders.flatMap(order => order.payments.map(({ type }) => type))],
    ['platform', codes.paymentPlatforms, orders.flatMap(({ payments }) => payments.map(p => p.platform))],
    ['promotion', codes.promotionTypes, orders.flatMap(({ promotions }) => promotions.map(p => p.type))],
    ['item status', codes.itemStatuses, items.map(item => item.status)],
  ]
  for (const [name, table, seen] of tables) {
    test(name, () => {
      const distinct = [...new Set(seen)].sort((a, b) => (a ?? 0) - (b ?? 0))
      assert.deepEqual(distinct, Object.keys(table).map(Number))
    })
  }
})

describe('a demo of the default size shows', () => {
  const features: [what: string, has: (order: OrderRecord) => boolean, least: number][] = [
    ['tips', order => (order.tips ?? 0) > 0, 100],
    ['service surcharges', order => (order.service_surcharge_fee ?? 0) > 0, 100],
    ['delivery fees', order => (order.delivery_fee ?? 0) > 0, 100],
    ['cash rounded up', order => (order.rounding ?? 0) > 0, 10],
    ['cash rounded down', order => (order.rounding ?? 0) < 0, 10],
    ['tax added to prices', order => (order.tax_calculated ?? 0) > 0, 100],
    ['tax inside prices', order => order.tax_calculated === 0 && (order.tax_total ?? 0) > 0, 100],
    ['two taxes', order => order.taxes.length === 2, 100],
    ['split payments', order => order.payments.length > 1, 100],
    ['payment surcharges', order => order.payments.some(({ surcharge }) => (surcharge ?? 0) > 0), 50],
    ['orders that cost nothing', order => order.payments.length === 0, 5],
    ['discounts on lines', ({ promotions }) => promotions.some(({ items }) => items.length > 0), 50],
    ['discounts on groups', order => order.promotions.some(p => p.items.some(i => i.type > 100)), 10],
    ['discounts on the order', order => order.promotions.some(p => p.items.length === 0), 50],
    ['weighed goods', order => order.carts.some(line => !Number.isInteger(line.count)), 100],
    ['fractional net prices', order => order.carts.some(l => !Number.isInteger(l.net_price)), 100],
    ['bills split at the table', order => order.parent_id !== null, 10],
    ['refunds', order => order.status === 3, 30],
    ['partial refunds', order => order.status === 11, 30],
    ['pre-orders', order => order.scheduled_at !== null, 100],
  ]
  for (const [what, has, least] of features) {
    test(what, () => {
      const count = orders.filter(has).length
      assert.ok(count >= least, `${count} of at least ${least}`)
    })
  }

  test('orders of one store in the same second', () => {
    const moments = Map.groupBy(orders, order => `${order.store_id} ${order.created_at}`)
    assert.ok([...moments.values()].filter(same => same.length > 1).length > 20)
  })

  test('a second merchant’s store, and stores in six time zones', () => {
    assert.equal(stores.filter(store => store.merchant === neighbour).length, 1)
    assert.equal(new Set(stores.map(store => store.timezone)).size, 6)
  })
})

describe('a demo order', () => {
  test('goes forward in time and not past the end', () => {
    for (const order of orders) {
      const created = seconds(order.created_at)
      const paid = seconds(order.paid_at)
      const updated = seconds(order.updated_at)
      if (order.pay_time !== null)
        assert.ok(created <= seconds(order.pay_time) && seconds(order.pay_time) <= paid)
      assert.ok(created <= paid && paid <= updated && updated <= end, JSON.stringify(order))
      assert.equal(order.status_time, order.paid_at)
      if (order.status !== 2) assert.ok(seconds(order.pay_time) < paid)
      if (order.scheduled_at !== null) assert.ok(seconds(order.scheduled_at) > created)
    }
  })

  test('comes while its store is open by the wall clock, also after a change to summer or winter time', () => {
    const offsets = new Map<number, Set<number>>()
    for (const order of orders) {
      const { timezone } = stores.find(store => store.id === order.store_id) ?? assert.fail()
      const place = places.find(place => place.timezone === timezone) ?? assert.fail()
      for (const text of [order.created_at, order.scheduled_at]) {
        if (text === null) continue
        const minute = wallMinute(timezone, seconds(text))
        const open = minute - place.hours.opens
        assert.ok(open >= 0 && open < place.hours.busy.length * 30, `${timezone} ${text} is minute ${minute}`)
        const ahead = minute - Math.floor((seconds(text) % 86_400) / 60)
        const known = offsets.get(order.store_id) ?? new Set()
        offsets.set(order.store_id, known.add((ahead + 1440) % 1440))
      }
    }
    const changed = [...offsets.values()].filter(known => known.size === 2).length
    assert.equal(changed, 5, 'all but Singapore change their clocks between August and November')
  })

  test('sells the store’s own items at the menu’s price, and none after it was deleted', () => {
    const known = new Map(items.map(item => [item.id, item]))
    const deletedSold = new Set<number>()
    for (const order of orders) {
      for (const line of order.carts) {
        const item = known.get(line.menu_id ?? 0) ?? assert.fail(`${line.menu_id} is an item`)
        assert.deepEqual([item.store_id, item.name], [order.store_id, line.name])
        if (line.group_no === 0 || line.type > 100) assert.equal(line.price, item.price)
        if (item.status !== 4) continue
        deletedSold.add(item.id)
        assert.ok(order.created_at < item.updated_at)
      }
    }
    assert.ok(deletedSold.size >= 5)
  })

  test('numbers its lines: tid from 1, serial_no from 1 in each group, one head first in each set menu or combo', () => {
    for (const { carts } of orders) {
      assert.deepEqual(
        carts.map(line => line.tid),
        carts.map((_, index) => index + 1),
      )
      for (const [group_no, group] of Map.groupBy(carts, line => line.group_no)) {
        assert.deepEqual(
          group.map(line => line.serial_no),
          group.map((_, index) => index + 1),
        )
        const heads = group.map(line => line.type > 100)
        assert.deepEqual(
          heads,
          group.map((_, index) => group_no !== 0 && index === 0),
        )
      }
    }
  })

  test('of a split bill names an earlier order of the same store and second', () => {
    const known = new Map(orders.map(order => [order.id, order]))
    for (const order of orders) {
      if (order.parent_id === null) continue
      const parent = known.get(order.parent_id) ?? assert.fail()
      assert.deepEqual([parent.store_id, parent.created_at], [order.store_id, order.created_at])
      assert.equal(parent.parent_id, null)
    }
  })

  test('comes more often at the weekend, and at lunch and dinner than between them', () => {
    const bistro = orders.filter(order => order.store_id === 1003)
    const at = (from: number, to: number) =>
      bistro.filter(order => {
        const minute = wallMinute('America/New_York', seconds(order.created_at))
        return minute >= from * 60 && minute < to * 60
      }).length
    assert.ok(at(12, 14) > 3 * at(15, 17))
    assert.ok(at(18, 20) > 3 * at(15, 17))
    const name = new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', weekday: 'short' })
    const days = Map.groupBy(bistro, order => name.format(seconds(order.created_at) * 1000))
    assert.ok((days.get('Sat')?.length ?? 0) > 2 * (days.get('Mon')?.length ?? 0))
  })
})

/** By another road than the generator's: what a clock on the wall shows, in minutes. */
function wallMinute(timeZone: string, at: number): number {
  const text = new Date(at * 1000).toLocaleTimeString('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
  })
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))
}
