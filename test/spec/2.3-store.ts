import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { sampleStore } from '../helpers/orders.ts'
import { errorOf, startWorld, stores, type World } from '../helpers/world.ts'

/** The ends of int64, both neighbours of 2^53, and what a double would make of them. */
const ids = [
  '-9223372036854775808',
  '-9223372036854775807',
  '-9007199254740993',
  '-1',
  '0',
  '1001',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775806',
  '9223372036854775807',
]

let world: World

before(async () => {
  world = await startWorld(ids.map(BigInt))
})

after(() => world.close())

describe('spec 2.3: a store', () => {
  test('has id, name and timezone, in this order and no more', async () => {
    await world.push(sampleStore())
    const store = (await world.list(stores)).find(({ id }) => id === 1001)
    assert.deepEqual(Object.entries(store), [
      ['id', 1001],
      ['name', 'Harbour Street'],
      ['timezone', 'Australia/Sydney'],
    ])
  })

  test('design: ids are int64, exact over the whole range, sorted as numbers', async () => {
    const { text } = await world.read(stores)
    assert.deepEqual(
      [...text.matchAll(/"id":(-?\d+),/g)].map(match => match[1]),
      ids,
    )
  })

  for (const id of ['9223372036854775808', '-9223372036854775809', '1.0', '1e3', '-0', '1.5']) {
    test(`design: an id of ${id} cannot be stored`, async () => {
      const answer = await world.write(sampleStore({ id: rawNumber(id) }))
      assert.equal(answer.status, 422)
      const [detail] = errorOf(answer).details
      assert.deepEqual([detail?.line, detail?.field], [1, 'id'])
      assert.ok(detail?.message.includes(id), detail?.message)
    })
  }

  for (const name of ['Café “Zoë” & Söhne', '東京 駅前店', '🍜🍣', 'a"b\\c/d', '<b>']) {
    test(`its name is any visible text: ${JSON.stringify(name)}`, async () => {
      await world.push(sampleStore({ name }))
      assert.equal((await world.list(stores)).find(({ id }) => id === 1001).name, name)
    })
  }

  for (const name of ['tab\tand\nline', ' ', '\u200b', 'left\u202eright']) {
    test(`design: its name is visible, not ${JSON.stringify(name)}`, async () => {
      const answer = await world.write(sampleStore({ name }))
      assert.deepEqual([answer.status, errorOf(answer).details[0]?.field], [422, 'name'])
    })
  }

  for (const timezone of [
    'UTC',
    'Europe/London',
    'America/Argentina/Buenos_Aires',
    'Asia/Kolkata',
    'Etc/GMT+12',
    'America/Port-au-Prince',
  ]) {
    test(`its timezone is a time zone name: ${timezone}`, async () => {
      await world.push(sampleStore({ timezone }))
      assert.equal((await world.list(stores)).find(({ id }) => id === 1001).timezone, timezone)
    })
  }

  for (const timezone of ['', 'Sydney', 'Europe/Nowhere', '+10:00', 'europe/london', 'UTC ', null, 10]) {
    test(`a timezone that is none is refused: ${JSON.stringify(timezone)}`, async () => {
      const answer = await world.write(sampleStore({ timezone }))
      assert.equal(answer.status, 422)
      assert.deepEqual(
        errorOf(answer).details.map(({ field }) => field),
        ['timezone'],
      )
    })
  }

  for (const field of ['id', 'name', 'timezone']) {
    test(`a store without ${field} is refused`, async () => {
      const answer = await world.write(sampleStore({ [field]: undefined }))
      assert.equal(answer.status, 422)
      const [detail] = errorOf(answer).details
      assert.deepEqual([detail?.field, detail?.code], [field, 'required'])
    })
  }
})
