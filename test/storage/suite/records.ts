import assert from 'node:assert/strict'
import type { ExistingRows, OrderRow, RecordChanges, RecordKeys } from '../../../src/storage/port/index.ts'
import {
  check,
  entries,
  highest,
  item,
  keysOf,
  linked,
  lowest,
  type Open,
  order,
  rewrite,
  store,
  write,
} from './fixtures.ts'

const nothing: RecordChanges = { stores: [], items: [], orders: [], rollups: [] }
const noKeys: RecordKeys = { store_ids: [], items: [], orders: [] }

/** Rows without their numbers. */
const withoutSeq = ({ stores, items, orders }: ExistingRows) => ({
  stores,
  items: items.map(({ seq: _seq, ...row }) => row),
  orders: orders.map(({ seq: _seq, ...row }) => row),
})

const sorted = (rows: Pick<RecordChanges, 'items'> & { orders: readonly OrderRow[] }) => {
  const { items, orders } = withoutSeq({ stores: [], ...rows } as unknown as ExistingRows)
  return {
    items: items.toSorted((a, b) => Number(a.id - b.id)),
    orders: orders.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

export function recordTests(open: Open): void {
  check('decide sees the rows of the keys as they are, and its answer is passed on', open, async storage => {
    const rows = {
      stores: [store(1n, { merchant: 'ada@example.com' }), store(highest)],
      items: [item(1n, lowest), item(highest, 9007199254740993n, { updated_at: 5 })],
      orders: [order(1n, 'a', { paid_at: 7, sold: '1:1:2:0' }), order(highest, 'a', { updated_at: 2000 })],
    }
    await write(storage, rows)
    await write(storage, { items: [item(1n, 3n)], orders: [order(1n, 'b')] })
    const keys: RecordKeys = {
      store_ids: [1n, 2n, highest],
      items: [...rows.items, { store_id: 1n, id: 9007199254740993n }],
      orders: [...rows.orders, { store_id: 2n, id: 'a' }],
    }
    let seen: ExistingRows | undefined
    const result = await storage.records.write(keys, existing => {
      seen = existing
      return { ...nothing, note: 'kept' }
    })
    assert.deepEqual(seen && withoutSeq(seen), rows)
    assert.equal(result.changes.note, 'kept')
  })

  check('text is kept byte for byte, whatever is in it', open, async storage => {
    const odd = `{"n":"caf\u00e9 \u{1F600} ' \\" ; -- \\u0000"}`
    await linked(storage, [1n])
    // U+001E and U+001F: what one engine puts between the texts of a list, and for none.
    for (const texts of [[odd], ['plain', odd], [`${odd}\u001e`, '{}'], ['\u001f', '{}'], ['\u001e']]) {
      const rowsWith = (docs: readonly string[]) => ({
        items: docs.map((doc, i) => item(1n, BigInt(i), { doc })),
        orders: docs.map((doc, i) => order(1n, `${i}'";\u{1F600}${texts.join()}`, { doc })),
      })
      const [added, changed] = [rowsWith(texts), rowsWith(texts.toReversed())]
      const keys = keysOf(added)
      await write(storage, added)
      await storage.records.write(keys, existing => {
        assert.deepEqual(sorted(existing), sorted(added))
        const orders = changed.orders.map(row => ({ row, was_created_at: row.created_at }))
        return { ...nothing, items: changed.items, orders }
      })
      await storage.records.write(keys, existing => {
        assert.deepEqual(sorted(existing), sorted(changed))
        return nothing
      })
    }
  })

  check('the versions of a store are the numbers of its newest order and item', open, async storage => {
    const claim = await linked(storage, [1n, 2n, 3n])
    const versions = async () =>
      Promise.all(
        [1n, 2n, 3n].map(async id => {
          const { store } = await storage.stores.access(claim, id)
          return [store?.orders_version, store?.items_version]
        }),
      )
    assert.deepEqual(await versions(), [
      [0, 0],
      [0, 0],
      [0, 0],
    ])
    await write(storage, {
      orders: [order(1n, 'a'), order(1n, 'b'), order(2n, 'a')],
      items: [item(2n, 1n), item(2n, 2n)],
    })
    assert.deepEqual(await versions(), [
      [2, 0],
      [3, 2],
      [0, 0],
    ])
    await write(storage, { stores: [store(1n, { name: 'Renamed' })] })
    await storage.records.write({ ...noKeys, store_ids: [1n] }, () => nothing)
    assert.deepEqual(await versions(), [
      [2, 0],
      [3, 2],
      [0, 0],
    ])
    await rewrite(storage, order(1n, 'a', { doc: '{}' }), 1000)
    await write(storage, { items: [item(2n, 1n, { doc: '{}' })] })
    assert.deepEqual(await versions(), [
      [3, 0],
      [3, 4],
      [0, 0],
    ])
  })

  check('a store written again keeps its versions and has its new document', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, { orders: [order(1n, 'a')] })
    await write(storage, {
      stores: [store(1n, { name: 'N', timezone: 'Asia/Tokyo', merchant: 'm', doc: '{"n":1}' })],
    })
    const { store: facts } = await storage.stores.access(claim, 1n)
    assert.deepEqual(facts, { doc: '{"n":1}', orders_version: 1, items_version: 0, seq: 1 })
    assert.deepEqual(await storage.stores.ofMerchant('m'), [{ id: 1n, name: 'N', timezone: 'Asia/Tokyo' }])
  })

  check(
    'an order that is updated or moved in time is there once, with all its times',
    open,
    async storage => {
      const claim = await linked(storage, [1n])
      await write(storage, { orders: [order(1n, 'a'), order(1n, 'b')] })
      const list = async (field: 'created_at' | 'updated_at' | 'paid_at', from: number, to: number) =>
        entries(
          (
            await storage.orders.page({
              claim,
              query: { store_id: 1n, field, from, to },
              offset: 0,
              limit: 10,
            })
          ).chunk,
        )
      await rewrite(storage, order(1n, 'a', { updated_at: 1500, paid_at: 1400, doc: '"paid"' }), 1000)
      assert.deepEqual(await list('created_at', 0, 9999), ['paid', { order: 'b' }])
      assert.deepEqual(await list('updated_at', 1001, 9999), ['paid'])
      assert.deepEqual(await list('paid_at', 0, 9999), ['paid'])
      await rewrite(storage, order(1n, 'a', { created_at: 3000, updated_at: 1600, doc: '"moved"' }), 1000)
      assert.deepEqual(await list('created_at', 0, 9999), [{ order: 'b' }, 'moved'])
      assert.deepEqual(await list('updated_at', 1001, 1599), [])
      assert.deepEqual(await list('updated_at', 1600, 1600), ['moved'])
      assert.deepEqual(await list('paid_at', 0, 9999), [])
    },
  )

  check('when decide throws, its error comes out and nothing is written', open, async storage => {
    await write(storage, { stores: [store(1n)] })
    const failure = new Error('line 7 is bad')
    await assert.rejects(
      storage.records.write({ ...noKeys, store_ids: [1n] }, () => {
        throw failure
      }),
      failure,
    )
    await write(storage, { stores: [store(2n)] })
    assert.equal(await storage.stores.exists(2n), true)
  })

  check('when one row cannot be written, none of the batch is', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, { orders: [order(1n, 'a')] })
    await assert.rejects(write(storage, { stores: [store(2n)], orders: [order(1n, 'z'), order(1n, 'a')] }))
    assert.equal(await storage.stores.exists(2n), false)
    const facts = await storage.stores.access(claim, 1n)
    assert.equal(facts.store?.orders_version, 1)
  })

  check('parallel batches each see what the one before wrote', open, async storage => {
    await write(storage, { stores: [store(1n)] })
    const keys = keysOf({ items: [{ store_id: 1n, id: 1n }] })
    await Promise.all(
      Array.from({ length: 20 }, () =>
        storage.records.write(keys, ({ items }) => ({
          ...nothing,
          items: [item(1n, 1n, { updated_at: (items[0]?.updated_at ?? 0) + 1 })],
        })),
      ),
    )
    await storage.records.write(keys, ({ items }) => {
      assert.equal(items[0]?.updated_at, 20)
      return nothing
    })
  })
}
