import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { onPostgres } from '../helpers/engine.ts'
import { sampleCart, sampleItem, sampleOrder } from '../helpers/orders.ts'
import { lists, refusal, startWorld, type World } from '../helpers/world.ts'

/** 105 of everything: each order sells an item of its own. Ids are in the sort order of every list. */
const total = 105
const ids = Array.from({ length: total }, (_, i) => 1001 + i)
const most = 2 ** 31 - 1

let world: World

before(async () => {
  world = await startWorld(ids)
  await world.push(
    ...ids.toReversed().map(id => sampleItem({ id })),
    ...ids.toReversed().map(id => sampleOrder({ id: `o${id}`, carts: [sampleCart({ menu_id: id })] })),
  )
})

after(() => world.close())

/** The entry's id, whichever list it is of. */
const idOf = (entry: any): number => entry.item_id ?? Number(String(entry.id).replace('o', ''))

for (const { path, query } of lists) {
  const page = async (paging: Record<string, number>) =>
    (await world.list(path, { ...query, ...paging })).map(idOf)

  describe(`spec 2.2: pages of ${path}`, () => {
    const pages: { name: string; paging: Record<string, number>; from: number; to: number }[] = [
      { name: 'spec 2.2, 8: index and count omitted are 0 and 100', paging: {}, from: 0, to: 100 },
      { name: 'index omitted is the first page', paging: { count: 7 }, from: 0, to: 7 },
      { name: 'index 0 is the first page', paging: { index: 0, count: 7 }, from: 0, to: 7 },
      { name: 'spec 8: count omitted is 100, also further on', paging: { index: 1 }, from: 100, to: 105 },
      { name: 'rule 1: a page shorter than count is the last', paging: { count: 106 }, from: 0, to: 105 },
      { name: 'a page of exactly all entries', paging: { count: 105 }, from: 0, to: 105 },
      {
        name: 'design: index skips index × count entries',
        paging: { index: 3, count: 10 },
        from: 30,
        to: 40,
      },
      { name: 'the last page holds the rest', paging: { index: 10, count: 10 }, from: 100, to: 105 },
      { name: 'one entry a page', paging: { index: 104, count: 1 }, from: 104, to: 105 },
      {
        name: 'design: past the end is an empty array',
        paging: { index: 105, count: 1 },
        from: 105,
        to: 105,
      },
      {
        name: 'a full last page is followed by an empty one',
        paging: { index: 3, count: 35 },
        from: 105,
        to: 105,
      },
      { name: 'design: far past the end is an empty array', paging: { index: most }, from: 105, to: 105 },
    ]
    for (const { name, paging, from, to } of pages) {
      test(name, async () => assert.deepEqual(await page(paging), ids.slice(from, to)))
    }

    // One at a time is a hundred requests: enough on one engine.
    for (const count of onPostgres ? [10, 35, 52, 104] : [1, 10, 35, 52, 104]) {
      test(`rule 2: changing index walks through all entries once, ${count} at a time`, async () => {
        const seen: number[] = []
        for (let index = 0; ; index++) {
          const part = await page({ index, count })
          seen.push(...part)
          if (part.length < count) break
          assert.ok(seen.length <= total, 'the walk does not end')
        }
        assert.deepEqual(seen, ids)
      })
    }

    for (const [name, value] of Object.entries({ negative: -1, 'beyond int32': most + 1 })) {
      test(`design: an index that is ${name} is 422`, async () => {
        assert.deepEqual(refusal(await world.read(path, { ...query, index: value })), [
          422,
          'parameter_invalid',
        ])
      })
    }

    for (const count of [0, -1, most + 1]) {
      test(`design: count=${count} is 422, never clamped`, async () => {
        assert.equal((await world.read(path, { ...query, count })).status, 422)
      })
    }

    if (!path.endsWith('orders')) {
      test('design: any count within int32 is honoured', async () => {
        assert.deepEqual(await page({ count: most }), ids)
        assert.deepEqual(await page({ count: most, index: most }), [])
      })
    }
  })
}
