import assert from 'node:assert/strict'
import type { Sold } from '../../../src/lib/sold.ts'
import type { RollupDelta, SalesQuery, Storage } from '../../../src/storage/port/index.ts'
import { check, highest, linked, lowest, type Open, order, write } from './fixtures.ts'

const day = 86_400
const delta = (bucket: number, item_id: bigint, lines: bigint, units: bigint, nanos = 0n): RollupDelta => ({
  store_id: 1n,
  width: day,
  bucket,
  item_id,
  lines,
  units,
  nanos,
})

/** The sums by item, whatever the order and pieces they came in. */
async function sums(storage: Storage, query: Partial<SalesQuery>): Promise<Record<string, bigint[]>> {
  const claim = { app_id: 'reader', authorization_id: null, jti: 'token' }
  const { sold } = await storage.sales.sum({ claim, query: { store_id: 1n, spans: [], edges: [], ...query } })
  const total: Record<string, bigint[]> = {}
  for (const { item_id, lines, units, nanos } of sold as Sold[]) {
    const [l = 0n, u = 0n, n = 0n] = total[String(item_id)] ?? []
    total[String(item_id)] = [l + lines, u + units, n + nanos]
  }
  return total
}

const days = (first: number, last: number) => ({
  spans: [{ width: day, first: first * day, last: last * day }],
})

export function salesTests(open: Open): void {
  check('spans add up the buckets from first to last, both included, of their width', open, async storage => {
    await linked(storage, [1n, 2n])
    await write(storage, {
      rollups: [
        delta(0, 7n, 100n, 100n),
        delta(day, 7n, 1n, 2n, 500_000_000n),
        delta(2 * day, 7n, 2n, 3n, 700_000_000n),
        delta(2 * day, highest, 1n, 9007199254740993n),
        delta(3 * day, lowest, 1n, -4n, -1n),
        delta(4 * day, 7n, 100n, 100n),
        { ...delta(2 * day, 7n, 50n, 50n), width: 3600 },
        { ...delta(2 * day, 7n, 60n, 60n), store_id: 2n },
      ],
    })
    assert.deepEqual(await sums(storage, days(1, 3)), {
      '7': [3n, 5n, 1_200_000_000n],
      [String(highest)]: [1n, 9007199254740993n, 0n],
      [String(lowest)]: [1n, -4n, -1n],
    })
    const hour = { width: 3600, first: 2 * day, last: 2 * day }
    assert.deepEqual(await sums(storage, { spans: [...days(1, 1).spans, hour] }), {
      '7': [51n, 52n, 500_000_000n],
    })
    assert.deepEqual(await sums(storage, {}), {})
  })

  check('edges add up the orders created in them, both ends included', open, async storage => {
    await linked(storage, [1n, 2n])
    const sold = '7:1:2:0'
    await write(storage, {
      orders: [
        order(1n, 'before', { created_at: 99, sold }),
        order(1n, 'first', { created_at: 100, sold: `${sold};9:2:0:355000000` }),
        order(1n, 'unsold', { created_at: 150 }),
        order(1n, 'last', { created_at: 200, sold: `${lowest}:1:${highest}:0` }),
        order(1n, 'after', { created_at: 201, sold }),
        order(2n, 'elsewhere', { created_at: 150, sold }),
      ],
    })
    assert.deepEqual(await sums(storage, { edges: [{ from: 100, to: 200 }] }), {
      '7': [1n, 2n, 0n],
      '9': [2n, 0n, 355_000_000n],
      [String(lowest)]: [1n, highest, 0n],
    })
    assert.deepEqual(
      await sums(storage, {
        edges: [
          { from: 99, to: 99 },
          { from: 201, to: 300 },
        ],
      }),
      { '7': [2n, 4n, 0n] },
    )
    assert.deepEqual(await sums(storage, { edges: [{ from: 101, to: 199 }] }), {})
  })

  check('deltas add to a bucket; one that no line stands behind any more is gone', open, async storage => {
    await linked(storage, [1n])
    await write(storage, { rollups: [delta(0, 7n, 1n, 2n, 5n), delta(0, 8n, 1n, 1n)] })
    await write(storage, { rollups: [delta(0, 7n, 2n, -3n, 6n)] })
    assert.deepEqual(await sums(storage, days(0, 0)), { '7': [3n, -1n, 11n], '8': [1n, 1n, 0n] })
    await write(storage, { rollups: [delta(0, 7n, -3n, 1n, -11n), delta(0, 8n, 0n, 4n)] })
    assert.deepEqual(await sums(storage, days(0, 0)), { '8': [1n, 5n, 0n] })
  })

  check('sales of an unchanged version of the orders are not read', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, { orders: [order(1n, 'a', { sold: '7:1:2:0' })] })
    const query = { store_id: 1n, spans: [], edges: [{ from: 0, to: 9999 }] }
    assert.equal((await storage.sales.sum({ claim, query, unless_version: 1 })).sold, null)
    const { sold, facts } = await storage.sales.sum({ claim, query, unless_version: 0 })
    assert.equal(sold?.length, 1)
    assert.equal(facts.store?.orders_version, 1)
  })
}
