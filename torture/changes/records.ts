import type { Random } from '../../src/demo/random.ts'

/**
 * Generated writes. Few ids, and times from a short span, so that most records meet an earlier one: changed, corrected at
 * the same `updated_at`, stale, unchanged, back-dated or moved to another day.
 */

/** The days of orders, as windows that `receipts` can answer. */
export const windows = [
  ['0001-01-01', '0001-01-02'],
  ['1969-12-30', '1970-01-02'],
  ['2026-10-25', '2026-11-05'],
  ['9999-12-31', '9999-12-31'],
] as const

const days = [
  '0001-01-01 00:00:00',
  '1969-12-30 12:00:00',
  '1969-12-31 23:59:59',
  '1970-01-01 00:00:00',
  '2026-10-25 00:00:00',
  '2026-10-31 23:59:59',
  '2026-11-01 00:00:00',
  '2026-11-01 12:00:00',
  '2026-11-01 23:59:59',
  '2026-11-05 08:00:00',
  '9999-12-31 23:59:59',
]

const itemIds = ['1', '2', '3', '9007199254740992', '9007199254740993', '9223372036854775807']

export interface Write {
  store_id: number
  kind: 'order' | 'item'
  id: string
  updated_at: string
  /** The record as a line. */
  line: string
}

const minute = (at: number): string =>
  `2026-11-01 ${String(Math.floor(at / 60) % 24).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:00`

/** The `n`-th batch of a writer. */
export function batchOf(random: Random, store_ids: readonly number[], n: number): Write[] {
  // Now and then enough orders for a page that is read in pieces.
  const isLarge = random.chance(0.02)
  const size = isLarge ? random.between(130, 300) : random.between(1, 6)
  const large_store = random.pick(store_ids)
  return Array.from({ length: size }, (_, i) => {
    const updated_at = minute(n + random.between(0, 8))
    if (isLarge) return order(random, large_store, `many-${i}`, updated_at)
    const store_id = random.pick(store_ids)
    return random.chance(0.25)
      ? item(random, store_id, random.pick(itemIds), updated_at)
      : order(random, store_id, `é"${random.between(0, 15)}`, updated_at)
  })
}

function order(random: Random, store_id: number, id: string, updated_at: string): Write {
  const home = days[(id.charCodeAt(id.length - 1) + id.length) % days.length]
  const record = {
    kind: 'order',
    store_id,
    id,
    status: random.pick([2, 3, 11]),
    order_number: `${random.between(0, 2)}`,
    created_at: random.chance(0.7) ? home : random.pick(days),
    updated_at,
    subtotal: random.pick([null, 0, -100, 450, 2_147_483_647]),
    carts: [],
  }
  return { store_id, kind: 'order', id, updated_at, line: JSON.stringify(record) }
}

function item(random: Random, store_id: number, id: string, updated_at: string): Write {
  const rest = JSON.stringify({
    kind: 'item',
    store_id,
    status: random.pick([2, 4]),
    name: 'Flat white',
    category_name: null,
    price: random.pick([400, 450]),
    updated_at,
  })
  return { store_id, kind: 'item', id, updated_at, line: `{"id":${id},${rest.slice(1)}` }
}

/** The last writes of a store: a client that has seen one of them knows that no other follows. */
export const lastId = { order: 'last', item: '-1' } as const

export function lastBatch(random: Random, store_id: number): Write[] {
  const updated_at = '2026-11-02 00:00:00'
  return [order(random, store_id, lastId.order, updated_at), item(random, store_id, lastId.item, updated_at)]
}

export const storeLine = (id: number): string =>
  JSON.stringify({ kind: 'store', id, name: `Store ${id}`, timezone: 'UTC' })
