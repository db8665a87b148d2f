import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import type { Listing } from '../../src/domain/reading/page.ts'
import { createSalesList } from '../../src/domain/reading/sales.ts'
import { formatDatetime } from '../../src/lib/datetime.ts'
import { roundQuantity, toQuantity } from '../../src/lib/decimal.ts'
import { parseExact, type RawNumber, rawNumber } from '../../src/lib/exact-json.ts'
import { databaseForEach, runs } from '../helpers/engine.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { sampleCart, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { openStorage } from '../helpers/storage.ts'

const hour = 3600
const day = 24 * hour
const claim = { app_id: 'app', authorization_id: null, jti: 'jti' }
const principal = {
  claim,
  scopes: new Set<string>(),
  scope: 'integration.store integration.order integration.inventory',
  expires_at: 9_999_999_999,
}

const textOf = ({ page }: Listing) => page && Buffer.concat(page.first).toString()

/** Around the beginning of a bucket of every width, and around 1970. */
const second = fc
  .tuple(
    fc.constantFrom(0, 640 * day),
    fc.constantFrom(-65 * day, -9 * day, -day, -hour, 0, day, 8 * day, 64 * day),
    fc.integer({ min: -2, max: 2 }),
  )
  .map(([base, offset, beside]) => base + offset + beside)

const version = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  status: fc.constantFrom(2, 2, 11, 3),
  created_at: second.map(formatDatetime),
  updated_at: fc.integer({ min: 0, max: 5 }).map(formatDatetime),
  carts: fc.array(
    fc
      .record({
        menu_id: fc.constantFrom(1, 2, rawNumber('9007199254740993'), null),
        count: fc.constantFrom(1, 3, 0.1, 0.5, -1, rawNumber('0.250'), rawNumber('1e-9'), 100),
      })
      .map(sampleCart),
    { maxLength: 3 },
  ),
})

const everything = [-100 * day, 1000 * day] as const

const history = fc.array(fc.array(version, { maxLength: 5 }), { maxLength: 4 })

async function openStore(): Promise<Storage> {
  const storage = await openStorage(await databaseForEach())
  const app = {
    id: 'app',
    name: 'App',
    scope: 'integration.store integration.order integration.inventory',
    redirect_uris: [],
    public: false,
    website: null,
    publisher: null,
    owner_id: null,
  }
  await storage.apps.create({ ...app, created_at: 0, disabled_at: null, disabled_by_owner: false }, null)
  await addStore(storage, 1001)
  return storage
}

async function addStore(storage: Storage, id: number): Promise<void> {
  await createRecordWriter({ storage }).write([{ line: 1, text: JSON.stringify(sampleStore({ id })) }])
  const link = {
    id: 'link',
    app_id: 'app',
    account_id: null,
    scope: 'integration.store integration.order integration.inventory',
  }
  await storage.authorizations.save(link, [BigInt(id)], 'add', 0)
}

interface ListedOrder {
  status: number
  carts: { menu_id: number | RawNumber | null; count: number | RawNumber }[]
}

/** The sales as anybody would work them out from the order list. */
async function fromOrderList(storage: Storage, store_id: bigint, from: number, to: number): Promise<string> {
  const query = { store_id, field: 'created_at' as const, from, to }
  const { chunk } = await storage.orders.page({ claim, query, offset: 0, limit: 2000 })
  const orders = parseExact(`[${Buffer.concat(chunk?.parts ?? []).toString()}]`) as ListedOrder[]
  const sums = new Map<bigint, bigint>()
  for (const { status, carts } of orders) {
    if (status !== 2 && status !== 11) continue
    for (const { menu_id, count } of carts) {
      if (menu_id === null) continue
      const id = BigInt(JSON.stringify(menu_id))
      const { units, nanos } = toQuantity(JSON.stringify(count))
      sums.set(id, (sums.get(id) ?? 0n) + units * 1_000_000_000n + nanos)
    }
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, nanos]) => `{"item_id":${id},"count":${roundQuantity({ units: 0n, nanos })}}`)
    .join(',')
}

test('sales: for any history of upserts and any window, the sales equal the sum over the order list’s carts', async t => {
  // One database, where each history has a store of its own.
  const storage = await openStore()
  t.after(() => storage.close())
  let store_id = 1001
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(fc.tuple(second, second), { minLength: 4 }),
      async (batches, windows) => {
        await addStore(storage, ++store_id)
        const writer = createRecordWriter({ storage })
        const listSales = createSalesList(storage)
        for (const batch of batches) {
          await writer.write(
            batch.map((order, i) => ({
              line: i + 1,
              text: JSON.stringify(sampleOrder({ ...order, store_id })),
            })),
          )
          for (const [a, b] of [...windows, everything]) {
            const [start_date, end_date] = [Math.min(a, b), Math.max(a, b)]
            const id = BigInt(store_id)
            const request = { store_id: id, start_date, end_date, index: 0, count: 100 }
            const listing = await listSales(principal, request, null)
            assert.equal(textOf(listing), await fromOrderList(storage, id, start_date, end_date))
          }
        }
      },
    ),
    { numRuns: runs(150) },
  )
})

test('sales: an item whose lines are all gone is not listed, and one that comes in parts is listed once', async () => {
  const part = (item_id: bigint, lines: bigint) => ({ item_id, lines, units: lines, nanos: 600_000_000n })
  const facts = {
    app_live: true,
    app_scope: 'integration.inventory',
    token_revoked: false,
    authorization_live: true,
    store: { doc: '{}', orders_version: 1, items_version: 1, seq: 1 },
    store_allowed: true,
    store_scope: 'integration.inventory',
  }
  const sold = [part(2n, 1n), part(1n, 2n), part(3n, 5n), part(1n, -2n), part(2n, 1n), part(-4n, 1n)]
  const listSales = createSalesList({ sales: { sum: async () => ({ facts, sold }) } })
  const request = { store_id: 1n, start_date: 0, end_date: 1, index: 0, count: 9 }
  const listing = await listSales(principal, request, null)
  assert.equal(textOf(listing), '{"item_id":-4,"count":2},{"item_id":2,"count":3},{"item_id":3,"count":6}')
})

test('sales: pages by item id, empty behind the end, and nothing for a version that is current', async () => {
  const storage = await openStore()
  const carts = [5, 3, 9, 7].map(menu_id => sampleCart({ menu_id, count: menu_id }))
  await createRecordWriter({ storage }).write([{ line: 1, text: JSON.stringify(sampleOrder({ carts })) }])
  const listSales = createSalesList(storage)
  const window = { store_id: 1001n, start_date: 0, end_date: Date.UTC(2027, 0, 1) / 1000, count: 3 }
  const pages = await Promise.all(
    [0, 1, 2, 2 ** 31 - 1].map(index => listSales(principal, { ...window, index }, null)),
  )
  assert.deepEqual(pages.map(textOf), [
    '{"item_id":3,"count":3},{"item_id":5,"count":5},{"item_id":7,"count":7}',
    '{"item_id":9,"count":9}',
    '',
    '',
  ])
  const version = pages[0]?.version ?? null
  assert.equal(textOf(await listSales(principal, { ...window, index: 0 }, version)), null)
  await storage.close()
})
