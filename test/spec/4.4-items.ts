import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleItem } from '../helpers/orders.ts'
import { at, items, refusal, startWorld, type World } from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld([1001, 1002, 1003, 1004, 1005])
})

after(() => world.close())

const ids = async (query: Record<string, string | number>): Promise<number[]> =>
  (await world.list(items, query)).map(({ id }) => id)

describe('spec 4.4: list inventory items', () => {
  test('the items of the store, and of no other', async () => {
    await world.push(sampleItem({ id: 1 }), sampleItem({ id: 2, store_id: 1002 }))
    assert.deepEqual(await ids({ store_id: 1001 }), [1])
    assert.deepEqual(await ids({ store_id: 1002 }), [2])
  })

  test('design: sorted by id as numbers, whatever their times', async () => {
    const shuffled = [10, 9, -1, 100, 0, 2, 1]
    await world.push(...shuffled.map((id, i) => sampleItem({ store_id: 1003, id, updated_at: at(i) })))
    assert.deepEqual(await ids({ store_id: 1003 }), [-1, 0, 1, 2, 9, 10, 100])
  })

  test('design: with updated_after, by update time, then id', async () => {
    const rows: [id: number, second: number][] = [
      [5, 100],
      [10, 100],
      [9, 100],
      [1, 101],
      [-3, 99],
    ]
    await world.push(
      ...rows.map(([id, second]) => sampleItem({ store_id: 1004, id, updated_at: at(second) })),
    )
    assert.deepEqual(await ids({ store_id: 1004, updated_after: at(0) }), [-3, 5, 9, 10, 1])
    const paged = []
    for (let index = 0; index < 5; index++) {
      paged.push(...(await ids({ store_id: 1004, updated_after: at(0), index, count: 1 })))
    }
    assert.deepEqual(paged, [-3, 5, 9, 10, 1])
  })

  const strictly = [
    { updated_after: at(98), found: [-3, 5, 9, 10, 1] },
    { updated_after: at(99), found: [5, 9, 10, 1] },
    { updated_after: at(100), found: [1] },
    { updated_after: at(101), found: [] },
  ]
  for (const { updated_after, found } of strictly) {
    test(`only items updated after ${updated_after}, strictly`, async () => {
      assert.deepEqual(await ids({ store_id: 1004, updated_after }), found)
    })
  }

  test('an item that changes is found again behind updated_after', async () => {
    await world.push(sampleItem({ store_id: 1002, id: 7, price: 100, updated_at: at(40_000) }))
    assert.deepEqual(await ids({ store_id: 1002, updated_after: at(50_000) }), [])
    await world.push(sampleItem({ store_id: 1002, id: 7, price: 110, updated_at: at(50_001) }))
    const found = await world.list(items, { store_id: 1002, updated_after: at(50_000) })
    assert.deepEqual(
      found.map(({ id, price }) => [id, price]),
      [[7, 110]],
    )
  })

  test('deleted items are returned with status 4, with and without updated_after', async () => {
    await world.push(sampleItem({ store_id: 1002, id: 8, status: 4, updated_at: at(9000) }))
    for (const query of [{ store_id: 1002 }, { store_id: 1002, updated_after: at(8999) }]) {
      const found = (await world.list(items, query)).filter(({ id }) => id === 8)
      assert.deepEqual(
        found.map(({ status }) => status),
        [4],
      )
    }
  })

  test('design: a page of 5000 items is complete, valid JSON and in order', async () => {
    const all = Array.from({ length: 5001 }, (_, i) => i)
    await world.push(...all.map(id => sampleItem({ store_id: 1005, id, name: `Item “${id}”` })))
    const page = await world.list(items, { store_id: 1005, count: 5000 })
    assert.deepEqual(
      page.map(({ id }) => id),
      all.slice(0, 5000),
    )
    assert.equal(page[4321].name, 'Item “4321”')
    assert.deepEqual(await ids({ store_id: 1005, count: 5000, index: 1 }), [5000])
    assert.deepEqual(await ids({ store_id: 1005, count: 2_147_483_647 }), all)
    assert.deepEqual(await ids({ store_id: 1005, count: 10_000, updated_after: at(0) }), all)
  })

  for (const scope of ['integration.store', 'integration.order']) {
    test(`its scope is integration.inventory: ${scope} is 403`, async () => {
      const token = await world.server.token(world.reader, scope)
      assert.deepEqual(refusal(await world.server.get(`${items}?store_id=1001`, token)), [
        403,
        'scope_insufficient',
      ])
    })
  }
})
