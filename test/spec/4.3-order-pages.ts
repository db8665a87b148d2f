import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { sampleCart, sampleOrder } from '../helpers/orders.ts'
import { at, orders, startWorld, type World, withQuery } from '../helpers/world.ts'

/** Whole windows read page by page: every order exactly once, whatever the data, and while more of it arrives. */

const firstStore = 5000
const stores = 40

let world: World
let nextStore = firstStore

before(async () => {
  world = await startWorld(Array.from({ length: stores }, (_, i) => firstStore + i))
})

after(() => world.close())

interface Made {
  id: string
  second: number
}

const twoDays = 172_800

const record = (store_id: number, { id, second }: Made) =>
  sampleOrder({ store_id, id, created_at: at(second), updated_at: at(second), paid_at: at(second) })

/** Few seconds and short ids, so that ties and neighbours are common; some orders lie outside. */
const made = fc.uniqueArray(
  fc.record({
    id: fc.string({
      unit: fc.constantFrom('a', 'b', 'A', '1', '2', 'é', '😀', '～'),
      minLength: 1,
      maxLength: 4,
    }),
    second: fc.oneof(
      fc.integer({ min: -2, max: 3 }),
      fc.integer({ min: 0, max: twoDays }),
      fc.integer({ min: twoDays - 2, max: twoDays + 2 }),
    ),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 60 },
)

const expected = (all: Made[]): string[] =>
  all
    .filter(({ second }) => second >= 0 && second <= twoDays)
    .toSorted((a, b) => a.second - b.second || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
    .map(({ id }) => id)

/** Reads pages until one is shorter than count (spec 2.2 rule 1). */
async function readAll(
  store_id: number,
  count: number,
  date_field: string,
  between: (index: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  for (let index = 0; ; index++) {
    const page = await world.list(orders, {
      store_id,
      start_date: at(0),
      end_date: at(twoDays),
      index,
      count,
      date_field,
    })
    seen.push(...page.map(({ id }) => id))
    if (page.length < count) return seen
    assert.ok(index < 500, 'the walk does not end')
    await between(index)
  }
}

describe('spec 2.2, 4.3: paging through a whole 2-day window', () => {
  test('collects every order of the window exactly once, in order, for any data and count', async () => {
    await fc.assert(
      fc.asyncProperty(
        made,
        fc.integer({ min: 1, max: 25 }),
        fc.constantFrom('created_at', 'updated_at', 'paid_at'),
        async (all, count, date_field) => {
          const store_id = nextStore++
          await world.push(...all.map(one => record(store_id, one)))
          assert.deepEqual(await readAll(store_id, count, date_field), expected(all))
        },
      ),
      { numRuns: 25, endOnFailure: true },
    )
  })

  test('loses and repeats nothing of what was there while later orders arrive between the pages', async () => {
    await fc.assert(
      fc.asyncProperty(made, fc.integer({ min: 1, max: 8 }), async (all, count) => {
        const store_id = nextStore++
        const there = all.map(one => ({ ...one, second: Math.min(one.second, twoDays - 100) }))
        await world.push(...there.map(one => record(store_id, one)))
        let arrived = 0
        const seen = await readAll(store_id, count, 'created_at', async () => {
          if (++arrived <= 10)
            await world.push(record(store_id, { id: `new ${arrived}`, second: twoDays - 50 + arrived }))
        })
        assert.equal(new Set(seen).size, seen.length)
        assert.deepEqual(
          seen.filter(id => !id.startsWith('new ')),
          expected(there),
        )
      }),
      { numRuns: 10, endOnFailure: true },
    )
  })

  test('updates of orders that keep their created_at do not move them', async () => {
    const store_id = nextStore++
    const all = Array.from({ length: 30 }, (_, i) => ({ id: `o${i}`, second: (i * 7919) % twoDays }))
    await world.push(...all.map(one => record(store_id, one)))
    const seen = await readAll(store_id, 4, 'created_at', async index => {
      const one = all[(index * 11) % all.length] as Made
      await world.push({ ...record(store_id, one), status: 3, updated_at: at(twoDays + index) })
    })
    assert.deepEqual(seen, expected(all))
  })

  test('what is pushed is there when the push is answered', async () => {
    const store_id = nextStore++
    for (let i = 0; i < 20; i++) {
      await world.push(record(store_id, { id: `o${i}`, second: i }))
      assert.equal((await readAll(store_id, 100, 'created_at')).length, i + 1)
    }
  })
})

describe('design: large pages', () => {
  test('spec 8: 2000 orders in one page are complete and valid JSON', async () => {
    const store_id = nextStore++
    const all = Array.from({ length: 2001 }, (_, i) => ({ id: `o${i}`, second: (i * 7919) % twoDays }))
    await world.push(...all.map(one => record(store_id, one)))
    const query = { store_id, start_date: at(0), end_date: at(twoDays), count: 2000 }
    const first = await world.list(orders, query)
    assert.deepEqual(
      first.map(({ id }) => id),
      expected(all).slice(0, 2000),
    )
    const second = await world.list(orders, { ...query, index: 1 })
    assert.deepEqual(
      second.map(({ id }) => id),
      expected(all).slice(2000),
    )
  })

  for (const count of [249, 250, 251, 499, 500, 501]) {
    test(`a page of ${count} holds that many, and the next goes on behind it`, async () => {
      // The store of the test before.
      const query = { store_id: nextStore - 1, start_date: at(0), end_date: at(twoDays), count }
      const [first, second] = [
        await world.list(orders, query),
        await world.list(orders, { ...query, index: 1 }),
      ]
      assert.deepEqual([first.length, second.length], [count, count])
      assert.equal(new Set([...first, ...second].map(({ id }) => id)).size, 2 * count)
    })
  }

  test('orders that change their place while a slow reader is sent the page appear once, and the page is full', async () => {
    const store_id = nextStore++
    // Some 15 MB in all: more than the sockets hold, so that the later part is read after the change.
    const carts = Array.from({ length: 100 }, () => sampleCart())
    const all = Array.from({ length: 600 }, (_, i) => ({
      ...record(store_id, { id: `o${i}`, second: i }),
      carts,
    }))
    await world.push(...all)
    const query = { store_id, start_date: at(0), end_date: at(twoDays), date_field: 'updated_at', count: 600 }
    const headers = { authorization: `Bearer ${await world.token()}` }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(world.server.base + withQuery(orders, query), { headers }, resolve).on('error', reject)
    })
    await world.push(...all.slice(0, 50).map(order => ({ ...order, updated_at: at(550) })))
    const { data } = JSON.parse(await text(response))
    assert.equal(data.length, 600)
    assert.equal(new Set(data.map(({ id }: { id: string }) => id)).size, 600)
  })
})
