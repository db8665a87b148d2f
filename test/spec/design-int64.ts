import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { sampleCart, sampleItem, sampleOrder } from '../helpers/orders.ts'
import { day, errorOf, items, orders, refusal, sales, startWorld, type World } from '../helpers/world.ts'

/** design: int64 is exact over the whole range, in and out: stores whose ids a double cannot tell apart. */
const ids = [
  '-9223372036854775808',
  '-9223372036854775807',
  '-9007199254740993',
  '-9007199254740992',
  '0',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775806',
  '9223372036854775807',
]

let world: World

before(async () => {
  world = await startWorld(ids.map(BigInt))
  // The item of each store has the store's id too, and so have the device and the line that sells it.
  await world.push(
    ...ids.flatMap(text => {
      const id = rawNumber(text)
      return [
        sampleItem({ store_id: id, id, name: `item of ${text}` }),
        sampleOrder({
          store_id: id,
          id: `order of ${text}`,
          device_id: id,
          carts: [sampleCart({ menu_id: id })],
        }),
      ]
    }),
  )
})

after(() => world.close())

describe('design: int64 is exact over the whole range', () => {
  for (const id of ids) {
    test(`orders of store ${id}: store_id, device_id and menu_id`, async () => {
      const { text, json } = await world.read(orders, { ...day, store_id: id })
      assert.deepEqual(
        json.data.map((order: { id: string }) => order.id),
        [`order of ${id}`],
      )
      for (const field of ['store_id', 'device_id', 'menu_id']) {
        assert.ok(text.includes(`"${field}":${id},`), field)
      }
    })

    test(`items of store ${id}`, async () => {
      const { text } = await world.read(items, { store_id: id })
      assert.match(text, new RegExp(`"data":\\[{"id":${id},"status":2,"name":"item of ${id}",[^{}]*}\\]}$`))
    })

    test(`sales of store ${id}`, async () => {
      const { text } = await world.read(sales, { ...day, store_id: id })
      assert.match(text, new RegExp(`"data":\\[{"item_id":${id},"count":1}\\]}$`))
    })
  }

  for (const id of ['9223372036854775808', '-9223372036854775809', '99999999999999999999999']) {
    for (const [path, query] of [
      [orders, day],
      [items, {}],
      [sales, day],
    ] as const) {
      test(`store_id=${id} is 422, not another store: ${path}`, async () => {
        const answer = await world.read(path, { ...query, store_id: id })
        assert.deepEqual(refusal(answer), [422, 'parameter_invalid'])
        const [detail] = errorOf(answer).details
        assert.deepEqual([detail?.field, detail?.code], ['store_id', 'out_of_range'])
        assert.ok(detail?.message.includes(id), detail?.message)
      })
    }
  }

  test('a store_id one away from a store is 404, not its neighbour', async () => {
    for (const id of [
      '9007199254740994',
      '-9007199254740994',
      '9223372036854775805',
      '-9223372036854775806',
    ]) {
      assert.deepEqual(refusal(await world.read(items, { store_id: id })), [404, 'store_not_found'], id)
    }
  })
})
