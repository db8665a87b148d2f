import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createLocalReads, type LocalReads } from '../../src/domain/usage/local-days.ts'
import { createUsageRecorder, type UsageRecorder } from '../../src/domain/usage/recorder.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { testClock } from '../helpers/clock.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { openStorage } from '../helpers/storage.ts'

/** What apps read, by the days that a store's own clock shows. */

const at = (text: string): number => Date.parse(`${text}Z`) / 1000
const now = at('2026-11-01T12:00')
const clock = testClock(now)
let storage: Storage
let recorder: UsageRecorder
let reads: LocalReads

beforeEach(async () => {
  clock.set(now)
  storage = await openStorage(await emptyDatabase())
  recorder = createUsageRecorder({ storage, clock, repeat: () => ({ stop() {} }) })
  reads = createLocalReads({ storage, clock, recorder })
})
afterEach(() => storage.close())

function read(time: string, orders: number, { store = 1n, app = 'a' } = {}): void {
  clock.set(at(time))
  recorder.read({ app_id: app, store_id: store, kind: 'orders', rows: orders })
  clock.set(now)
}

const shown = (days: { date: string; orders: number }[]) =>
  days.filter(({ orders }) => orders > 0).map(({ date, orders }) => `${date} ${orders}`)

test('a day begins at the zone’s midnight, today is the last, and days without reads are included', async () => {
  read('2026-10-31T12:59', 1)
  read('2026-10-31T13:00', 2) // Midnight in Sydney.
  read('2026-11-01T11:59', 4)
  const sydney = await reads.byDay([1n], { app_id: 'a', days: 3, zone: 'Australia/Sydney' })
  assert.deepEqual(sydney, [
    { date: '2026-10-30', orders: 0, items: 0 },
    { date: '2026-10-31', orders: 1, items: 0 },
    { date: '2026-11-01', orders: 6, items: 0 },
  ])
  assert.deepEqual(shown(await reads.byDay([1n], { app_id: 'a', days: 3, zone: 'UTC' })), [
    '2026-10-31 3',
    '2026-11-01 4',
  ])
  assert.deepEqual(shown(await reads.byDay([1n], { app_id: 'a', days: 2, zone: 'America/New_York' })), [
    '2026-10-31 3',
    '2026-11-01 4',
  ])
})

test('in a zone that is a day ahead of UTC, its current day is the last', async () => {
  const days = await reads.byDay([1n], { app_id: 'a', days: 30, zone: 'Pacific/Kiritimati' })
  assert.deepEqual([days.length, days[0]?.date, days.at(-1)?.date], [30, '2026-10-04', '2026-11-02'])
})

test('a day of 25 hours counts in full', async () => {
  read('2026-10-24T22:00', 1) // 25 October 00:00 in Paris, in summer time.
  read('2026-10-25T22:59', 2) // 23:59 of it, in winter time.
  read('2026-10-25T23:00', 4)
  assert.deepEqual(shown(await reads.byDay([1n], { app_id: 'a', days: 30, zone: 'Europe/Paris' })), [
    '2026-10-25 3',
    '2026-10-26 4',
  ])
})

test('in a zone with an offset of half an hour, an hour counts for the day in which it begins', async () => {
  read('2026-10-31T13:10', 1) // 23:40 in Adelaide, in an hour that begins at 23:30.
  read('2026-10-31T14:10', 2)
  const days = await reads.byDay([1n], { app_id: 'a', days: 3, zone: 'Australia/Adelaide' })
  assert.deepEqual(shown(days), ['2026-10-31 1', '2026-11-01 2'])
})

test('only the requested app and stores count', async () => {
  read('2026-11-01T10:00', 1)
  read('2026-11-01T10:00', 2, { store: 2n })
  read('2026-11-01T10:00', 4, { app: 'b' })
  assert.deepEqual(shown(await reads.byDay([1n], { app_id: 'a', days: 1, zone: 'UTC' })), ['2026-11-01 1'])
  assert.deepEqual(shown(await reads.byDay([1n, 2n], { app_id: 'a', days: 1, zone: 'UTC' })), [
    '2026-11-01 3',
  ])
  assert.deepEqual(shown(await reads.byDay([], { app_id: 'a', days: 1, zone: 'UTC' })), [])
})

test('by store: the most read ones separately, the others together, without stores that were not read', async () => {
  for (const store of [1n, 2n, 3n, 4n]) read('2026-10-31T13:00', Number(store), { store })
  const of = async (most: number) => {
    const all = [1n, 2n, 3n, 4n, 5n]
    const { days, stores } = await reads.byDayAndStore(
      all,
      { app_id: 'a', days: 2, zone: 'Australia/Sydney' },
      most,
    )
    assert.deepEqual(days, await reads.byDay(all, { app_id: 'a', days: 2, zone: 'Australia/Sydney' }))
    return stores.map(({ store_id, days }) => `${store_id} ${days.map(({ orders }) => orders)}`)
  }
  assert.deepEqual(await of(2), ['4 0,4', '3 0,3', 'null 0,3'])
  assert.deepEqual(await of(3), ['4 0,4', '3 0,3', '2 0,2', '1 0,1'], 'one alone is no "others"')
  const none = await reads.byDayAndStore([5n], { app_id: 'a', days: 2, zone: 'UTC' }, 2)
  assert.deepEqual([none.days.map(({ orders }) => orders), none.stores], [[0, 0], []])
})
