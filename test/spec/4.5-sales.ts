import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { sampleCart, sampleItem, sampleOrder } from '../helpers/orders.ts'
import type { Answer } from '../helpers/server.ts'
import { at, orders, refusal, sales, startWorld, type World } from '../helpers/world.ts'

let world: World
let nextStore = 6000

before(async () => {
  world = await startWorld(Array.from({ length: 80 }, (_, i) => 6000 + i))
})

after(() => world.close())

interface Made {
  id?: string
  /** `12×1.5`: one and a half of item 12; `null×1` is a line without menu_id. */
  lines: string
  status?: number
  second?: number
}

const record = (store_id: number, { id = 'a', lines, status = 2, second = 0 }: Made) =>
  sampleOrder({
    store_id,
    id,
    status,
    created_at: at(second),
    // A change from the future is refused; an order that is created for a later time is not.
    updated_at: at(Math.min(second, 10 * 86_400)),
    paid_at: at(second),
    carts: lines
      .split(' ')
      .filter(line => line !== '')
      .map(line => line.split('×') as [string, string])
      .map(([item, count]) => sampleCart({ menu_id: rawNumber(item), count: rawNumber(count) })),
  })

/** The sales of a window, as `item×count`. */
async function soldIn(store_id: number, from: number, to: number): Promise<string> {
  const found = await world.list(sales, { store_id, start_date: at(from), end_date: at(to), count: 1000 })
  return found.map(({ item_id, count }) => `${item_id}×${count}`).join(' ')
}

describe('spec 2.6: an item sale record', () => {
  test('has item_id and count, in this order and no more', async () => {
    const store_id = nextStore++
    await world.push(record(store_id, { lines: '12×3' }))
    const [sale] = await world.list(sales, { store_id, start_date: at(0), end_date: at(1) })
    assert.deepEqual(Object.entries(sale), [
      ['item_id', 12],
      ['count', 3],
    ])
  })

  for (const item of ['-9223372036854775808', '9007199254740993', '9223372036854775807']) {
    test(`design: item_id is int64, exact: ${item}`, async () => {
      const store_id = nextStore++
      await world.push(record(store_id, { lines: `${item}×1` }))
      const { text } = await world.read(sales, { store_id, start_date: at(0), end_date: at(1) })
      assert.ok(text.includes(`"data":[{"item_id":${item},"count":1}]`), text)
    })
  }
})

describe('spec 4.5: item sales', () => {
  const rows: { name: string; made: Made[]; sold: string }[] = [
    {
      name: 'lines of one item are summed, over carts and orders',
      made: [
        { id: 'a', lines: '1×2 1×3' },
        { id: 'b', lines: '1×4' },
      ],
      sold: '1×9',
    },
    {
      name: 'design: sorted by item_id as numbers',
      made: [{ lines: '10×1 9×1 -5×1 100×1' }],
      sold: '-5×1 9×1 10×1 100×1',
    },
    { name: 'design: status 2 counts', made: [{ lines: '1×2', status: 2 }], sold: '1×2' },
    { name: 'design: status 11 counts', made: [{ lines: '1×2', status: 11 }], sold: '1×2' },
    { name: 'design: status 3 does not count', made: [{ lines: '1×2', status: 3 }], sold: '' },
    {
      name: 'design: count is never wrapped at int8',
      made: [{ lines: '1×127 2×128 3×256 4×1000000' }, { id: 'b', lines: '1×1' }],
      sold: '1×128 2×128 3×256 4×1000000',
    },
    {
      name: 'design: a sum beyond int32 is exact too',
      made: [{ lines: '1×1000000000 1×1000000000 1×999999999 1×-1' }],
      sold: '1×2999999998',
    },
    {
      name: 'design: fractions are summed exactly and then rounded, halves upwards',
      made: [{ lines: '1×0.1 1×0.2 1×0.2 2×0.4 3×1.5 4×2.49 5×0.5 6×0.333 6×0.333 6×0.334 7×1.4999999' }],
      sold: '1×1 2×0 3×2 4×2 5×1 6×1 7×1',
    },
    {
      name: 'design: an item that sold less than half is listed with 0',
      made: [{ lines: '1×0.125' }],
      sold: '1×0',
    },
    { name: 'design: a line without menu_id sells no item', made: [{ lines: 'null×5 1×1' }], sold: '1×1' },
    {
      name: 'a negative quantity takes away',
      made: [
        { id: 'a', lines: '1×5' },
        { id: 'b', lines: '1×-2' },
      ],
      sold: '1×3',
    },
    {
      name: 'design: both ends of the window are included',
      made: [-1, 0, 3600, 3601].map(second => ({ id: `${second}`, lines: `${second}×1`, second })),
      sold: '0×1 3600×1',
    },
  ]
  for (const { name, made, sold } of rows) {
    test(name, async () => {
      const store_id = nextStore++
      await world.push(...made.map(one => record(store_id, one)))
      assert.equal(await soldIn(store_id, 0, 3600), sold)
    })
  }

  test('no orders, no sales', async () => assert.equal(await soldIn(nextStore++, 0, 3600), ''))

  test('design: a refund takes the order’s lines out again, a partial refund leaves them', async () => {
    const store_id = nextStore++
    const order = record(store_id, { id: 'a', lines: '1×2' })
    await world.push(order, record(store_id, { id: 'b', lines: '1×5' }))
    const after = async (status: number, second: number) => {
      await world.push({ ...order, status, updated_at: at(second) })
      return soldIn(store_id, 0, 3600)
    }
    assert.deepEqual([await after(11, 1), await after(3, 2), await after(2, 3)], ['1×7', '1×5', '1×7'])
  })

  test('an order that is sent again, or changes its lines, is not counted twice', async () => {
    const store_id = nextStore++
    const order = record(store_id, { lines: '1×2 2×1' })
    await world.push(order, order)
    await world.push(order)
    assert.equal(await soldIn(store_id, 0, 3600), '1×2 2×1')
    await world.push({ ...record(store_id, { lines: '1×7' }), updated_at: at(1) })
    assert.equal(await soldIn(store_id, 0, 3600), '1×7')
  })

  test('an order that moves to another day takes its sales along', async () => {
    const store_id = nextStore++
    await world.push(record(store_id, { lines: '1×2', second: 10 }))
    await world.push(record(store_id, { lines: '1×2', second: 90_000 }))
    assert.equal(await soldIn(store_id, 0, 86_399), '')
    assert.equal(await soldIn(store_id, 86_400, 172_800), '1×2')
  })

  test('an item that is deleted, or was never pushed, has its sales all the same', async () => {
    const store_id = nextStore++
    await world.push(sampleItem({ store_id, id: 1, status: 4 }), record(store_id, { lines: '1×2 2×1' }))
    assert.equal(await soldIn(store_id, 0, 3600), '1×2 2×1')
  })

  test('design: windows have no limit: the whole of time is answered', async () => {
    const store_id = nextStore++
    const day = 86_400
    const days = [-3000, -400, -1, 0, 1, 400, 3000]
    await world.push(...days.map(n => record(store_id, { id: `${n}`, lines: '1×1', second: n * day })))
    assert.equal(await soldIn(store_id, -3000 * day, 3000 * day), '1×7')
    assert.equal(await soldIn(store_id, -400 * day + 1, 400 * day - 1), '1×3')
    const ever = { store_id, start_date: '0001-01-01 00:00:00', end_date: '9999-12-31 23:59:59' }
    assert.deepEqual(await world.list(sales, ever), [{ item_id: 1, count: 7 }])
  })

  test('design: start_date after end_date is 422', async () => {
    const answer = await world.read(sales, { store_id: 6000, start_date: at(1), end_date: at(0) })
    assert.deepEqual(refusal(answer), [422, 'parameter_invalid'])
  })

  for (const scope of ['integration.store', 'integration.order']) {
    test(`its scope is integration.inventory: ${scope} is 403`, async () => {
      const token = await world.server.token(world.reader, scope)
      assert.deepEqual(refusal(await world.server.get(sales, token)), [403, 'scope_insufficient'])
    })
  }
})

describe('design: sales reconcile with the order list', () => {
  const line = fc
    .tuple(fc.constantFrom('null', '1', '2', '3', '4'), fc.integer({ min: -1000, max: 9000 }))
    .map(([item, thousandths]) => `${item}×${(thousandths / 1000).toFixed(3)}`)
  const second = fc.integer({ min: 0, max: 172_800 })
  const made = fc.array(
    fc.record({
      status: fc.constantFrom(2, 2, 3, 11),
      second,
      lines: fc.array(line, { maxLength: 4 }).map(lines => lines.join(' ')),
    }),
    { maxLength: 30 },
  )

  /** The same sums from what the order list shows, in thousandths so that they are exact. */
  function summed(listed: any[]): string {
    const sums = new Map<number, number>()
    for (const { menu_id, count } of listed
      .filter(({ status }) => status !== 3)
      .flatMap(({ carts }) => carts)) {
      if (menu_id !== null) sums.set(menu_id, (sums.get(menu_id) ?? 0) + Math.round(count * 1000))
    }
    return [...sums]
      .toSorted(([a], [b]) => a - b)
      .map(([item, sum]) => `${item}×${Math.floor((sum + 500) / 1000)}`)
      .join(' ')
  }

  test('for any orders and any window of at most 2 days', async () => {
    await fc.assert(
      fc.asyncProperty(made, second, second, async (all, a, b) => {
        const store_id = nextStore++
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        await world.push(
          sampleItem({ store_id }),
          ...all.map((one, i) => record(store_id, { id: `o${i}`, ...one })),
        )
        const window = { store_id, start_date: at(from), end_date: at(to), count: 2000 }
        assert.equal(await soldIn(store_id, from, to), summed(await world.list(orders, window)))
      }),
      { numRuns: 25, endOnFailure: true },
    )
  })
})

test('design: a full page of up to 2000 has a Link with the next index, which leads through all entries', async () => {
  const store_id = nextStore++
  await world.push(record(store_id, { lines: '1×1 2×2 3×3 4×4 5×5' }))
  const window = { store_id, start_date: at(0), end_date: at(1) }
  const linkOf = ({ headers }: Answer) => /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  const seen: number[][] = []
  let answer = await world.read(sales, { ...window, count: 2, x: 'y' })
  for (;;) {
    seen.push(answer.json.data.map(({ item_id }: { item_id: number }) => item_id))
    const next = linkOf(answer)
    if (next === undefined) break
    assert.doesNotMatch(next, /x=y/)
    answer = await world.server.get(next.slice(world.server.base.length), await world.token())
  }
  assert.deepEqual(seen, [[1, 2], [3, 4], [5]])
  assert.match(linkOf(await world.read(sales, { ...window, count: 5 })) ?? '', /&count=5&index=1$/)
  assert.equal(linkOf(await world.read(sales, { ...window, count: 6 })), undefined)
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `${from + i}×1`).join(' ')
  await world.push(
    ...[6, 706, 1406].map(from => record(store_id, { id: `many-${from}`, lines: lines(from, from + 700) })),
  )
  for (const [count, linked] of [
    [2000, true],
    [2001, false],
  ] as const) {
    const page = await world.read(sales, { ...window, count })
    assert.deepEqual([page.json.data.length, linkOf(page) !== undefined], [count, linked])
  }
})
