import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { at, day, items, orders, startWorld, type World } from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld()
})

after(() => world.close())

/** The spec shows no transitions, so every one that the platform reports is taken. */
const pairs = <T>(values: T[]) => values.flatMap(from => values.map(to => [from, to] as const))

describe('spec 3.1: order status', () => {
  for (const [from, to] of pairs([2, 3, 11])) {
    test(`an order of status ${from} becomes ${to}, and stays one order`, async () => {
      const id = `${from} to ${to}`
      await world.push(sampleOrder({ id, status: from, updated_at: at(40_000) }))
      await world.push(sampleOrder({ id, status: to, updated_at: at(40_001) }))
      const found = (await world.list(orders, day)).filter(order => order.id === id)
      assert.deepEqual(
        found.map(({ status, updated_at }) => [status, updated_at]),
        [[to, at(40_001)]],
      )
    })
  }

  test('design: a status that arrives late never overwrites a newer one', async () => {
    await world.push(sampleOrder({ id: 'late', status: 3, updated_at: at(50_000) }))
    const answer = await world.write(sampleOrder({ id: 'late', status: 2, updated_at: at(49_999) }))
    assert.deepEqual([answer.json.data.orders, answer.json.data.stale], [0, 1])
    const found = (await world.list(orders, day)).find(order => order.id === 'late')
    assert.deepEqual([found.status, found.updated_at], [3, at(50_000)])
  })
})

describe('spec 3.2: item status', () => {
  for (const [from, to] of pairs([2, 4])) {
    test(`an item of status ${from} becomes ${to}, and stays listed`, async () => {
      const id = 10 * from + to
      await world.push(sampleItem({ id, status: from, updated_at: at(1) }))
      await world.push(sampleItem({ id, status: to, updated_at: at(2) }))
      const found = (await world.list(items, { store_id: 1001 })).filter(item => item.id === id)
      assert.deepEqual(
        found.map(({ status }) => status),
        [to],
      )
    })
  }

  test('design: a deleted item can come back, with another name and price', async () => {
    const states = [
      { status: 2, name: 'Scone', price: 300 },
      { status: 4, name: 'Scone', price: 300 },
      { status: 2, name: 'Cheese scone', price: 350 },
    ]
    for (const [i, state] of states.entries()) {
      await world.push(sampleItem({ id: 99, ...state, updated_at: at(i) }))
      const { status, name, price } = (await world.list(items, { store_id: 1001 })).find(
        ({ id }) => id === 99,
      )
      assert.deepEqual({ status, name, price }, state)
    }
  })

  test('design: an older deletion that arrives late does not delete', async () => {
    await world.push(sampleItem({ id: 98, status: 2, updated_at: at(100) }))
    await world.push(sampleItem({ id: 98, status: 4, updated_at: at(99) }))
    assert.equal((await world.list(items, { store_id: 1001 })).find(({ id }) => id === 98).status, 2)
  })
})
