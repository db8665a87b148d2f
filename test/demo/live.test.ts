import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderRecord } from '../../src/contract/record.ts'
import { correct, isRefundable, refund } from '../../src/demo/live/changes.ts'
import { clockChangeOrders, lastClockChange } from '../../src/demo/live/clock-change.ts'
import { laterOrders } from '../../src/demo/live/later.ts'
import { createLiveTills, type Step } from '../../src/demo/live/tills.ts'
import { createRandom } from '../../src/demo/random.ts'
import { demoRecords, demoShops } from '../../src/demo/records.ts'
import { reconcile } from './totals.ts'
import { createRecordReader } from '../../src/ingest/records/read.ts'
import { parseDatetime } from '../../src/lib/datetime.ts'
import { testClock } from '../helpers/clock.ts'

// 2026-11-15 02:00:00 UTC.
const end = 1_794_708_000
const options = { stores: 6, orders: 600, days: 10, seed: 1, end }
const history = [...demoRecords(options)].filter((record): record is OrderRecord => record.kind === 'order')
const seconds = (text: string | null): number => parseDatetime(text ?? '') ?? Number.NaN

/** A time of live selling, a step every three seconds. */
async function live(steps: number): Promise<{ steps: Step[]; asked: [number, number][] }> {
  const clock = testClock(end + 3600)
  const asked: [number, number][] = []
  const tills = createLiveTills({
    shops: demoShops(options),
    random: createRandom(7, 7),
    clock,
    seed: 1,
    async past(store_id, from, to) {
      asked.push([from - clock.now(), to - clock.now()])
      return history.filter(order => {
        const created = seconds(order.created_at)
        return order.store_id === store_id && created >= from && created <= to
      })
    },
  })
  const made: Step[] = []
  for (let n = 0; n < steps; n++) {
    clock.advance(3)
    made.push(await tills.next())
  }
  return { steps: made, asked }
}

const { steps, asked } = await live(60)
const of = (happening: Step['happening']) => steps.filter(step => step.happening === happening)
const all = steps.flatMap(({ records }) => records)

test('the same seed, clock and past give the same steps', async () => {
  assert.deepEqual((await live(60)).steps, steps)
})

test('every record is valid, adds up and lies in no future', () => {
  const reader = createRecordReader()
  for (const record of all) {
    assert.ok(!Array.isArray(reader.read(1, JSON.stringify(record))), JSON.stringify(record))
    assert.deepEqual(reconcile(record as never), [])
    assert.ok(seconds(record.updated_at) <= end + 3600 + 60 * 3 + 1)
  }
})

test('new orders come every few steps, each with an id that no other order has', () => {
  const sold = of('sale').flatMap(({ records }) => records)
  assert.ok(sold.length >= 30, `${sold.length} sales`)
  const ids = new Set([...sold, ...history].map(({ store_id, id }) => `${store_id} ${id}`))
  assert.equal(ids.size, sold.length + history.length)
})

test('a refund comes days after the sale, with the time of the refund', () => {
  const refunds = of('refund').flatMap(({ records }) => records)
  assert.ok(refunds.length >= 2)
  assert.ok(asked.every(([from, to]) => from === -5 * 86_400 && to === -86_400))
  for (const order of refunds) {
    assert.ok([3, 11].includes(order.status))
    assert.ok(seconds(order.updated_at) - seconds(order.created_at) > 86_400)
    assert.equal(order.status_time, order.updated_at)
    assert.ok(history.some(({ id, status }) => id === order.id && status === 2))
  }
})

test('corrections change an order that was just sold, with a newer updated_at and with the same', () => {
  for (const happening of ['correction', 'same-second correction'] as const) {
    const [corrected] = of(happening)[1]?.records ?? []
    const before = all
      .slice(0, all.indexOf(corrected as OrderRecord))
      .findLast(({ id }) => id === corrected?.id)
    assert.ok(corrected && before, happening)
    assert.notDeepEqual(corrected, before)
    const isSame = corrected.updated_at === before.updated_at
    assert.equal(isSame, happening === 'same-second correction')
    assert.ok(seconds(corrected.updated_at) >= seconds(before.updated_at))
  }
})

test('a till that was offline sends its orders together, with the times of their sales', () => {
  const [held = []] = of('offline till').map(({ records }) => records)
  assert.equal(held.length, 8)
  assert.equal(new Set(held.map(({ store_id, device_name }) => `${store_id} ${device_name}`)).size, 1)
  const times = held.map(({ created_at }) => seconds(created_at))
  assert.deepEqual(times, times.toSorted())
  assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) > 2 * 3600)
})

test('the orders of a clock change lie on both sides of it, two of them at the same wall clock time', () => {
  const [orders = []] = of('clock change').map(({ records }) => records)
  // The latest before 15 November: New York, 1 November 2026, 06:00 UTC.
  const change = Date.UTC(2026, 10, 1, 6) / 1000
  assert.equal(lastClockChange('America/New_York', end), change)
  assert.ok(orders.every(order => order.store_id === 1003))
  const wall = new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', timeStyle: 'short' })
  const shown = orders.map(({ created_at }) => wall.format(seconds(created_at) * 1000))
  assert.equal(shown.length - new Set(shown).size, 2)
  assert.ok(orders.some(({ created_at }) => seconds(created_at) < change))
  assert.ok(orders.some(({ created_at }) => seconds(created_at) > change))
  const shop = demoShops(options).find(({ id }) => id === 1003)
  assert.deepEqual(shop && clockChangeOrders(shop, change, 1), orders, 'the same whenever they are made')
})

test('clock changes: to summer time and back, in every zone of the demo', () => {
  for (const [zone, now, change] of [
    ['Europe/London', Date.UTC(2026, 6, 1), Date.UTC(2026, 2, 29, 1)],
    ['Europe/Berlin', Date.UTC(2026, 9, 25, 1), Date.UTC(2026, 9, 25, 1)],
    ['Australia/Sydney', Date.UTC(2026, 10, 1), Date.UTC(2026, 9, 3, 16)],
    ['Australia/Adelaide', Date.UTC(2026, 5, 1), Date.UTC(2026, 3, 4, 16, 30)],
  ] as const) {
    assert.equal(lastClockChange(zone, now / 1000), change / 1000, zone)
  }
  assert.equal(lastClockChange('Asia/Singapore', end), null)
})

test('a refund and a correction of every order of the demo add up', () => {
  const random = createRandom(1, 1)
  for (const order of history.filter(isRefundable)) {
    assert.deepEqual(reconcile(refund(order, end, random) as never), [])
    assert.deepEqual(reconcile(correct(order, random, null) as never), [])
  }
})

test('later orders: the demo’s pace, within opening hours, none twice, and none before or after the time', () => {
  const from = end
  const to = end + 3 * 86_400
  const orders = [...laterOrders(options, from, to)]
  assert.deepEqual([...laterOrders(options, from, to)], orders)
  assert.equal(orders.length, 180)
  assert.equal(new Set([...history, ...orders].map(({ id }) => id)).size, history.length + orders.length)
  for (const order of orders) {
    assert.ok(seconds(order.created_at) >= from && seconds(order.updated_at) <= to)
    assert.deepEqual(reconcile(order as never), [])
  }
})
