import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { sampleItem } from '../helpers/orders.ts'
import { errorOf, items, startWorld, type World } from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld([1001, 1002])
})

after(() => world.close())

/** What the list holds of the item, in a store that was empty but for items of earlier tests. */
async function listed(overrides: object): Promise<any> {
  await world.push(sampleItem(overrides))
  return (await world.list(items, { store_id: 1001 })).find(({ id }) => id === 12)
}

describe('spec 2.5: an inventory item', () => {
  test('has the five fields, in the spec’s order and no other', async () => {
    assert.deepEqual(Object.entries(await listed({})), [
      ['id', 12],
      ['status', 2],
      ['name', 'Flat white'],
      ['category_name', 'Coffee'],
      ['price', 450],
    ])
  })

  test('design: ids are int64, exact over the whole range, sorted as numbers', async () => {
    const ids = [
      '-9223372036854775808',
      '-1',
      '0',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
    ]
    await world.push(...ids.toReversed().map(id => sampleItem({ store_id: 1002, id: rawNumber(id) })))
    const { text } = await world.read(items, { store_id: 1002 })
    assert.deepEqual(
      [...text.matchAll(/"id":(-?\d+),/g)].map(match => match[1]),
      ids,
    )
  })

  for (const id of ['9223372036854775808', '-9223372036854775809', '1.0', '"1"', 'null']) {
    test(`an id of ${id} is refused`, async () => {
      const answer = await world.write(
        JSON.stringify(sampleItem({ id: 12 })).replace('"id":12', `"id":${id}`),
      )
      assert.equal(answer.status, 422)
      assert.deepEqual(
        errorOf(answer).details.map(({ field }) => field),
        ['id'],
      )
    })
  }

  for (const status of [2, 4]) {
    test(`status ${status} goes through`, async () => {
      assert.equal((await listed({ status })).status, status)
    })
  }

  test('every int8 that is no item status is refused', async () => {
    const others = Array.from({ length: 256 }, (_, i) => i - 128).filter(code => code !== 2 && code !== 4)
    const answer = await world.write(...others.map(status => sampleItem({ status })))
    assert.equal(answer.status, 422)
    assert.deepEqual(
      errorOf(answer).details.map(({ line, field, code }) => [line, field, code]),
      others.map((_, i) => [i + 1, 'status', 'code']),
    )
  })

  test('category_name may be null, and is when it was left out', async () => {
    assert.equal((await listed({ category_name: null })).category_name, null)
    assert.equal((await listed({ category_name: 'Tea' })).category_name, 'Tea')
    assert.equal((await listed({ category_name: undefined })).category_name, null)
  })

  for (const price of [0, 450, -100, 2 ** 31 - 1, -(2 ** 31)]) {
    test(`price is an int32 in cents: ${price}`, async () => {
      assert.equal((await listed({ price })).price, price)
    })
  }

  for (const price of [2 ** 31, -(2 ** 31) - 1, 4.5, '450', null]) {
    test(`a price of ${JSON.stringify(price)} is refused`, async () => {
      const answer = await world.write(sampleItem({ price }))
      assert.equal(answer.status, 422)
      assert.equal(errorOf(answer).details[0]?.field, 'price')
    })
  }

  for (const field of ['store_id', 'id', 'status', 'name', 'price', 'updated_at']) {
    test(`an item without ${field} is refused`, async () => {
      const answer = await world.write(sampleItem({ [field]: undefined }))
      assert.equal(answer.status, 422)
      const [detail] = errorOf(answer).details
      assert.deepEqual([detail?.field, detail?.code], [field, 'required'])
    })
  }

  test('the same id in two stores is two items', async () => {
    await world.push(
      sampleItem({ id: 77, name: 'Here' }),
      sampleItem({ id: 77, store_id: 1002, name: 'There' }),
    )
    const names = async (store_id: number) =>
      (await world.list(items, { store_id })).filter(({ id }) => id === 77).map(({ name }) => name)
    assert.deepEqual([await names(1001), await names(1002)], [['Here'], ['There']])
  })
})
