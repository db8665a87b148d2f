import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { sampleOrder } from '../helpers/orders.ts'
import { changed, fieldsOf, partOf } from '../helpers/spec-fields.ts'
import { at, errorOf, orders, startWorld, type World } from '../helpers/world.ts'

let world: World
let second = 0

before(async () => {
  world = await startWorld()
})

after(() => world.close())

/** The text of the answer that lists the order with this one field changed. */
async function textWith(where: string, changes: object): Promise<string> {
  const moment = at(++second)
  await world.push(
    withRaw({ ...sampleOrder(), id: moment, created_at: moment, updated_at: at(172_800) }, where, changes),
  )
  const { text } = await world.read(orders, { store_id: 1001, start_date: moment, end_date: moment })
  return text
}

/** structuredClone does not keep raw numbers, so they are written into the text. */
function withRaw(order: object, where: string, changes: object): string {
  const [[field, value] = ['', '']] = Object.entries(changes)
  return JSON.stringify(changed(order, where, { [field]: '@@' })).replace('"@@"', JSON.stringify(value))
}

async function refusalOf(where: string, field: string, value: unknown) {
  const answer = await world.write(withRaw(sampleOrder({ id: 'refused' }), where, { [field]: value }))
  assert.equal(answer.status, 422, `${field} = ${JSON.stringify(value)}: ${answer.text}`)
  const { code, details } = errorOf(answer)
  assert.equal(code, 'record_invalid')
  assert.equal(details.length, 1, answer.text)
  assert.equal(details[0]?.line, 1)
  return details[0]
}

for (const { section, where, field, path } of fieldsOf('int32')) {
  describe(`spec ${section}: ${path} is an int32`, () => {
    test('its ends go through', async () => {
      for (const value of [-(2 ** 31), 2 ** 31 - 1]) {
        assert.equal(
          partOf(JSON.parse(await textWith(where, { [field]: value })).data[0], where)[field],
          value,
        )
      }
    })
    test('what is no int32 is refused by name, with the value', async () => {
      for (const value of ['-2147483649', '2147483648', '1.5', '1.0', '1e2']) {
        const detail = await refusalOf(where, field, rawNumber(value))
        assert.equal(detail?.field, path)
        assert.ok(detail.message.includes(value), detail.message)
      }
      for (const value of ['1', true, [1], { cents: 1 }]) {
        assert.equal((await refusalOf(where, field, value))?.field, path)
      }
    })
  })
}

for (const { section, where, field, path } of fieldsOf('int64').filter(({ field }) => field !== 'store_id')) {
  describe(`spec ${section}: ${path} is an int64`, () => {
    for (const value of ['-9223372036854775808', '9007199254740993', '9223372036854775807', '-1', '0']) {
      test(`design: ${value} stays itself`, async () => {
        assert.ok((await textWith(where, { [field]: rawNumber(value) })).includes(`"${field}":${value},`))
      })
    }
    for (const value of ['9223372036854775808', '-9223372036854775809', '1.0', '1e3']) {
      test(`${value} is refused`, async () => {
        const detail = await refusalOf(where, field, rawNumber(value))
        assert.equal(detail?.field, path)
        assert.ok(detail.message.includes(value), detail.message)
      })
    }
  })
}

for (const { section, where, field, path } of fieldsOf('decimal')) {
  describe(`spec ${section}: ${path} is a decimal`, () => {
    for (const value of ['113.64', '1.10', '0', '-0.5', '409.090909090909', '0.1', '100.00']) {
      test(`${value} is kept exactly as given`, async () => {
        const text = await textWith(where, { [field]: rawNumber(value) })
        assert.match(text, new RegExp(`"${field}":${value.replace('.', '\\.')}[,}]`))
      })
    }
    test('what is no number is refused', async () => {
      for (const value of ['1.10', true, [], {}]) {
        assert.equal((await refusalOf(where, field, value))?.field, path)
      }
    })
  })
}

for (const { section, where, field, path } of fieldsOf('datetime')) {
  describe(`spec ${section}: ${path} follows yyyy-MM-dd HH:mm:ss`, () => {
    const bad = [
      '',
      '2026-11-01',
      '2026-11-01T09:30:00',
      '2026-11-01 09:30:00Z',
      '2026-11-01 09:30',
      '2026-11-01 09:30:00.5',
      '2026-02-30 00:00:00',
      '2026-11-01 24:00:00',
      '2026-11-01 23:59:60',
      1_793_534_400,
    ]
    for (const value of bad) {
      test(`${JSON.stringify(value)} is refused`, async () => {
        assert.equal((await refusalOf(where, field, value))?.field, path)
      })
    }
  })
}

for (const { section, where, field, path } of fieldsOf('string')) {
  describe(`spec ${section}: ${path} is text`, () => {
    test('any writing goes through', async () => {
      if (path === 'id') return
      const writings = ['Crème brûlée', '拉麵 🍜', '"quoted" \\ and /', 'line\nbreak\ttab', '</script>']
      for (const value of writings) {
        // The name of a device is one that people decide by, so it hides nothing.
        if (path === 'device_name' && /\n/.test(value)) continue
        const order = JSON.parse(await textWith(where, { [field]: value })).data[0]
        assert.equal(partOf(order, where)[field], value)
      }
    })
    test('what is no text is refused', async () => {
      for (const value of [1, false, ['x'], {}]) {
        assert.equal((await refusalOf(where, field, value))?.field, path)
      }
    })
  })
}

for (const { section, where, field, path } of fieldsOf('array')) {
  test(`spec ${section}: ${path} is a list of objects`, async () => {
    for (const value of [{}, 'x', 1]) assert.equal((await refusalOf(where, field, value))?.field, path)
    assert.equal((await refusalOf(where, field, [1]))?.field, `${path}[0]`)
  })
}

test('spec 2.4: a field that the order table does not have is refused, not dropped', async () => {
  assert.equal((await refusalOf('', 'colour', 'red'))?.field, 'colour')
  assert.equal((await refusalOf('carts', 'colour', 'red'))?.field, 'carts[0].colour')
})

test('spec 2.4: every bad field of every bad line is named, and nothing of the batch is stored', async () => {
  const moment = at(90_000)
  const answer = await world.write(
    sampleOrder({ id: 'good', created_at: moment }),
    sampleOrder({ id: 'bad', created_at: moment, tips: 'x', status: 99 }),
    sampleOrder({ id: 'worse', created_at: moment, carts: [{ type: 2 }] }),
  )
  assert.equal(answer.status, 422)
  assert.deepEqual(
    errorOf(answer).details.map(({ line, field }) => [line, field]),
    [
      [2, 'status'],
      [2, 'tips'],
      [3, 'carts[0].count'],
    ],
  )
  assert.deepEqual(await world.list(orders, { store_id: 1001, start_date: moment, end_date: moment }), [])
})
