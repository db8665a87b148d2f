import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { beforeDatabase } from '../helpers/engine.ts'
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

/** Sends the order once with each of these values, in one batch; answers what is said of each. */
async function refusalsOf(where: string, field: string, values: readonly unknown[]) {
  const lines = values.map(value => withRaw(sampleOrder({ id: 'refused' }), where, { [field]: value }))
  const answer = await world.write(...lines)
  assert.equal(answer.status, 422, `${field}: ${answer.text}`)
  const { code, details } = errorOf(answer)
  assert.equal(code, 'record_invalid')
  assert.deepEqual(
    details.map(({ line }) => line),
    values.map((_, i) => i + 1),
    answer.text,
  )
  return details
}

/** Fails unless each of these values is refused, by the name of its field. */
async function assertRefused(where: string, field: string, values: readonly unknown[], path: string) {
  for (const detail of await refusalsOf(where, field, values)) assert.equal(detail.field, path)
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
    test('what is no int32 is refused by name, with the value', { skip: beforeDatabase }, async () => {
      const numbers = ['-2147483649', '2147483648', '1.5', '1.0', '1e2']
      const details = await refusalsOf(where, field, numbers.map(rawNumber))
      for (const [i, { field, message }] of details.entries()) {
        assert.equal(field, path)
        assert.ok(message.includes(numbers[i] ?? '?'), message)
      }
      await assertRefused(where, field, ['1', true, [1], { cents: 1 }], path)
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
    test('what is no int64 is refused by name, with the value', { skip: beforeDatabase }, async () => {
      const numbers = ['9223372036854775808', '-9223372036854775809', '1.0', '1e3']
      const details = await refusalsOf(where, field, numbers.map(rawNumber))
      for (const [i, { field, message }] of details.entries()) {
        assert.equal(field, path)
        assert.ok(message.includes(numbers[i] ?? '?'), message)
      }
    })
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
    test('what is no number is refused', { skip: beforeDatabase }, () =>
      assertRefused(where, field, ['1.10', true, [], {}], path),
    )
  })
}

for (const { section, where, field, path } of fieldsOf('datetime')) {
  test(`spec ${section}: ${path} follows yyyy-MM-dd HH:mm:ss`, { skip: beforeDatabase }, async () => {
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
    await assertRefused(where, field, bad, path)
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
    test('what is no text is refused', { skip: beforeDatabase }, () =>
      assertRefused(where, field, [1, false, ['x'], {}], path),
    )
  })
}

for (const { section, where, field, path } of fieldsOf('array')) {
  test(`spec ${section}: ${path} is a list of objects`, async () => {
    await assertRefused(where, field, [{}, 'x', 1], path)
    await assertRefused(where, field, [[1]], `${path}[0]`)
  })
}

test('spec 2.4: a field that the order table does not have is refused, not dropped', async () => {
  await assertRefused('', 'colour', ['red'], 'colour')
  await assertRefused('carts', 'colour', ['red'], 'carts[0].colour')
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
