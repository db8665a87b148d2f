import assert from 'node:assert/strict'
import type { AccessClaim, Chunk, OrderField, Storage } from '../../../src/storage/port/index.ts'
import {
  check,
  entries,
  highest,
  item,
  linked,
  lowest,
  type Open,
  order,
  readOn,
  rewrite,
  write,
} from './fixtures.ts'

const all = (store_id: bigint, field: OrderField = 'created_at') => ({ store_id, field, from: 0, to: 99_999 })

const orderIds = (chunk: Chunk | null) => entries(chunk).map(entry => (entry as { order: string }).order)
const itemIds = (chunk: Chunk | null) => entries(chunk).map(entry => (entry as { item: number }).item)

const page = async (
  storage: Storage,
  claim: AccessClaim,
  query: ReturnType<typeof all>,
  offset: number,
  limit: number,
) => (await storage.orders.page({ claim, query, offset, limit })).chunk

export function listTests(open: Open): void {
  check('orders come by time, then by the bytes of their id', open, async storage => {
    const claim = await linked(storage, [1n, 2n])
    // In UTF-16 the emoji would sort before U+FF5E, in a dictionary "B" after "a".
    const ids = ['', '10', '9', 'B', 'a', 'é', '\uff5e', '\u{1F600}']
    await write(storage, {
      orders: [
        ...ids.toReversed().map(id => order(1n, id)),
        order(1n, 'later', { created_at: 1001 }),
        order(1n, 'z-earlier', { created_at: 999 }),
        order(2n, 'of another store'),
      ],
    })
    assert.deepEqual(orderIds(await page(storage, claim, all(1n), 0, 100)), ['z-earlier', ...ids, 'later'])
    // One at a time, the order is the same.
    const first = await page(storage, claim, all(1n), 0, 1)
    const read = await readOn(first, after => storage.orders.more({ claim, query: all(1n), after, limit: 1 }))
    assert.deepEqual(
      read,
      ['z-earlier', ...ids, 'later'].map(id => ({ order: id })),
    )
  })

  for (const field of ['created_at', 'updated_at', 'paid_at'] as const) {
    check(`the window by ${field} holds both of its ends`, open, async storage => {
      const claim = await linked(storage, [1n])
      const times = [99, 100, 101, 199, 200, 201]
      await write(storage, {
        orders: [
          ...times.map(time => order(1n, `t${time}`, { paid_at: 50, [field]: time })),
          order(1n, 'never paid', { created_at: 5, updated_at: 5 }),
        ],
      })
      const window = { store_id: 1n, field, from: 100, to: 200 }
      assert.deepEqual(orderIds(await page(storage, claim, window, 0, 100)), ['t100', 't101', 't199', 't200'])
      const first = await page(storage, claim, window, 0, 3)
      assert.ok(first?.next)
      assert.deepEqual(
        orderIds(await storage.orders.more({ claim, query: window, after: first.next, limit: 3 })),
        ['t200'],
      )
      assert.deepEqual(orderIds(await page(storage, claim, { ...window, from: 200 }, 0, 9)), ['t200'])
      assert.equal((await page(storage, claim, { ...window, from: 102, to: 198 }, 0, 9))?.rows, 0)
    })
  }

  check('an offset skips entries, also many; past the end there is an empty chunk', open, async storage => {
    const claim = await linked(storage, [1n])
    const id = (n: number) => `o${String(n).padStart(4, '0')}`
    const count = 2500
    // Three orders share each second; each time has its own order.
    await write(storage, {
      orders: Array.from({ length: count }, (_, n) =>
        order(1n, id(n), {
          created_at: 1000 + Math.floor(n / 3),
          updated_at: 9000 - n,
          paid_at: 1000 + (n % 7),
        }),
      ),
    })
    const whole: Record<OrderField, string[]> = { created_at: [], updated_at: [], paid_at: [] }
    const numbers = Array.from({ length: count }, (_, n) => n)
    whole.created_at = numbers.map(id)
    whole.updated_at = numbers.toReversed().map(id)
    whole.paid_at = numbers.toSorted((a, b) => (a % 7) - (b % 7) || a - b).map(id)
    for (const field of ['created_at', 'updated_at', 'paid_at'] as const) {
      for (const [offset, limit] of [
        [0, 10],
        [1, 1],
        [7, 100],
        [2000, 499],
        [2490, 10],
        [2495, 10],
        [0, 2500],
      ] as const) {
        const chunk = await page(storage, claim, all(1n, field), offset, limit)
        const expected = whole[field].slice(offset, offset + limit)
        assert.deepEqual(orderIds(chunk), expected, `${field} ${offset} ${limit}`)
        assert.equal(chunk?.rows, expected.length)
        assert.equal(chunk?.next === null, expected.length < limit)
      }
      for (const offset of [2500, 2501, 2 ** 31 * 2000]) {
        const chunk = await page(storage, claim, all(1n, field), offset, 10)
        assert.deepEqual(chunk, { parts: [], rows: 0, next: null })
      }
    }
  })

  check('a cursor continues behind its entry, whatever was added, moved or changed', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, {
      orders: ['b', 'd', 'f', 'h'].map((id, i) => order(1n, id, { created_at: 1000 + i })),
    })
    const first = await page(storage, claim, all(1n), 0, 2)
    assert.deepEqual(orderIds(first), ['b', 'd'])
    assert.ok(first?.next)
    await write(storage, {
      orders: [
        order(1n, 'a', { created_at: 500 }), // before: does not push anything into view again
        order(1n, 'c', { created_at: 1001 }), // the cursor's second, a lower id: before
        order(1n, 'e', { created_at: 1001 }), // the cursor's second, a higher id: behind
      ],
    })
    await rewrite(storage, order(1n, 'd', { created_at: 400 }), 1001) // the cursor's own entry goes away
    await rewrite(storage, order(1n, 'h', { created_at: 1000 }), 1003) // moves out of what is left
    assert.deepEqual(
      orderIds(await storage.orders.more({ claim, query: all(1n), after: first.next, limit: 10 })),
      ['e', 'f'],
    )
  })

  check('a cursor at the last entry finds nothing more', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, { orders: [order(1n, 'a'), order(1n, 'b')] })
    const full = await page(storage, claim, all(1n), 0, 2)
    assert.ok(full?.next)
    const more = await storage.orders.more({ claim, query: all(1n), after: full.next, limit: 2 })
    assert.deepEqual([more.parts, more.rows, more.next], [[], 0, null])
  })

  check('an unchanged version reads nothing; the facts come all the same', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, { orders: [order(1n, 'a')], items: [item(1n, 1n)] })
    await write(storage, { items: [item(1n, 2n)] })
    const orders = (version: number) =>
      storage.orders.page({ claim, query: all(1n), offset: 0, limit: 10, unless_version: version })
    const items = (version: number) =>
      storage.items.page({
        claim,
        query: { store_id: 1n, updated_after: null },
        offset: 0,
        limit: 10,
        unless_version: version,
      })
    // The first item has the number 1, the order 2, the second item 3.
    assert.equal((await orders(2)).chunk, null)
    assert.equal((await orders(2)).facts.store?.orders_version, 2)
    assert.equal((await orders(3)).chunk?.rows, 1)
    assert.equal((await items(3)).chunk, null)
    assert.equal((await items(2)).chunk?.rows, 2)
  })

  check('items come by id over the whole of int64', open, async storage => {
    const claim = await linked(storage, [1n, highest])
    const ids = [lowest, -1n, 0n, 2n, 10n, 9007199254740992n, 9007199254740993n, highest]
    await write(storage, {
      items: [...ids.toReversed().map(id => item(highest, id, { doc: `"${id}"` })), item(1n, 5n)],
    })
    const query = { store_id: highest, updated_after: null }
    const read = async (offset: number, limit: number) =>
      (await storage.items.page({ claim, query, offset, limit })).chunk
    assert.deepEqual(entries(await read(0, 100)), ids.map(String))
    assert.deepEqual(entries(await read(5, 2)), ids.slice(5, 7).map(String))
    assert.equal((await read(8, 2))?.rows, 0)
    const seen = await readOn(await read(0, 1), after =>
      storage.items.more({ claim, query, after, limit: 1 }),
    )
    assert.deepEqual(seen, ids.map(String))
  })

  check('items changed after a moment: strictly, by time and then by id', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, {
      items: [
        item(1n, 1n, { updated_at: 300 }),
        item(1n, 9n, { updated_at: 200 }),
        item(1n, -5n, { updated_at: 200 }),
        item(1n, 4n, { updated_at: 100 }),
      ],
    })
    const query = (updated_after: number) => ({ store_id: 1n, updated_after })
    const read = async (after: number, offset: number, limit: number) =>
      (await storage.items.page({ claim, query: query(after), offset, limit })).chunk
    assert.deepEqual(itemIds(await read(99, 0, 10)), [4, -5, 9, 1])
    assert.deepEqual(itemIds(await read(100, 0, 10)), [-5, 9, 1])
    assert.deepEqual(itemIds(await read(300, 0, 10)), [])
    assert.deepEqual(itemIds(await read(100, 1, 1)), [9])
    const first = await read(100, 0, 1)
    assert.ok(first?.next)
    // The item read last changes: it comes again, at its new place.
    await write(storage, { items: [item(1n, -5n, { updated_at: 400 })] })
    assert.deepEqual(
      itemIds(await storage.items.more({ claim, query: query(100), after: first.next, limit: 10 })),
      [9, 1, -5],
    )
  })
}
