import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleOrder } from '../helpers/orders.ts'
import { at, errorOf, orders, refusal, startWorld, type World } from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld([1001, 1002, 1003, 1004])
})

after(() => world.close())

const ids = async (query: Record<string, string | number>): Promise<string[]> =>
  (await world.list(orders, query)).map(({ id }) => id)

/** A time far from the window in every field that does not matter. */
const elsewhere = at(-900_000)

describe('spec 4.3: the window', () => {
  const offsets = [-1, 0, 1, 3599, 3600, 3601]
  const inside = [0, 1, 3599, 3600]

  for (const date_field of ['created_at', 'updated_at', 'paid_at']) {
    test(`design: filters ${date_field}, both ends included`, async () => {
      const base = { created_at: elsewhere, updated_at: at(900_000), paid_at: elsewhere }
      await world.push(
        ...offsets.map(offset =>
          sampleOrder({ ...base, store_id: 1002, id: `${date_field} ${offset}`, [date_field]: at(offset) }),
        ),
      )
      const window = { store_id: 1002, start_date: at(0), end_date: at(3600) }
      assert.deepEqual(
        await ids({ ...window, date_field }),
        inside.map(offset => `${date_field} ${offset}`),
      )
    })
  }

  test('design: filters created_at when date_field is left out', async () => {
    const base = { store_id: 1003, scheduled_at: at(10), status_time: at(10), pay_time: at(10) }
    await world.push(
      sampleOrder({ ...base, id: 'created', created_at: at(10), updated_at: at(9000), paid_at: at(9000) }),
      sampleOrder({ ...base, id: 'updated', created_at: at(9000), updated_at: at(10), paid_at: at(9000) }),
      sampleOrder({ ...base, id: 'paid', created_at: at(9000), updated_at: at(9000), paid_at: at(10) }),
    )
    const window = { store_id: 1003, start_date: at(0), end_date: at(20) }
    assert.deepEqual(await ids(window), ['created'])
    assert.deepEqual(await ids({ ...window, date_field: 'created_at' }), ['created'])
    assert.deepEqual(await ids({ ...window, date_field: 'updated_at' }), ['updated'])
    assert.deepEqual(await ids({ ...window, date_field: 'paid_at' }), ['paid'])
  })

  for (const date_field of ['', 'Created_At', 'scheduled_at', 'id', 'created_at desc']) {
    test(`design: date_field=${JSON.stringify(date_field)} is 422 and names what is allowed`, async () => {
      const window = { store_id: 1001, start_date: at(0), end_date: at(20) }
      const answer = await world.read(orders, { ...window, date_field })
      assert.deepEqual(refusal(answer), [422, 'parameter_invalid'])
      const [detail] = errorOf(answer).details
      assert.equal(detail?.field, 'date_field')
      assert.match(detail.message, /created_at, updated_at, paid_at/)
    })
  }

  test('design: an order that was never paid is in no window of paid_at', async () => {
    await world.push(sampleOrder({ store_id: 1004, id: 'unpaid', created_at: at(5), paid_at: null }))
    const window = { store_id: 1004, start_date: at(0), end_date: at(20) }
    assert.deepEqual(await ids(window), ['unpaid'])
    assert.deepEqual(await ids({ ...window, date_field: 'paid_at' }), [])
  })

  test('a window of one second', async () => {
    await world.push(sampleOrder({ id: 'second', created_at: at(70_000) }))
    const window = (second: number) => ({ store_id: 1001, start_date: at(second), end_date: at(second) })
    assert.deepEqual(await ids(window(70_000)), ['second'])
    assert.deepEqual(await ids(window(70_001)), [])
    assert.deepEqual(await ids(window(69_999)), [])
  })

  test('design: datetimes are UTC in the query and in the payload, whatever the store’s timezone', async () => {
    const moment = '2026-10-04 16:30:00' // 02:30 in Sydney on the next day, an hour that the clocks there leave out
    await world.push(sampleOrder({ id: 'utc', created_at: moment, updated_at: moment, paid_at: moment }))
    const [order, ...others] = await world.list(orders, {
      store_id: 1001,
      start_date: moment,
      end_date: moment,
    })
    assert.deepEqual([order.created_at, order.paid_at, others.length], [moment, moment, 0])
  })

  test('design: start_date after end_date is 422 window_reversed', async () => {
    const answer = await world.read(orders, { store_id: 1001, start_date: at(1), end_date: at(0) })
    assert.deepEqual(refusal(answer), [422, 'parameter_invalid'])
    assert.deepEqual(
      errorOf(answer).details.map(({ field, code }) => [field, code]),
      [['end_date', 'window_reversed']],
    )
  })

  test('a refund moves an order in windows of updated_at, and leaves it in its window of created_at', async () => {
    const order = { store_id: 1001, id: 'refunded', created_at: at(200), paid_at: at(210) }
    await world.push(sampleOrder({ ...order, updated_at: at(210) }))
    await world.push(sampleOrder({ ...order, status: 3, updated_at: at(5000), paid_at: at(5000) }))
    const early = { store_id: 1001, start_date: at(200), end_date: at(300) }
    const late = { store_id: 1001, start_date: at(5000), end_date: at(5000) }
    assert.deepEqual(await ids(early), ['refunded'])
    for (const date_field of ['updated_at', 'paid_at']) {
      assert.deepEqual(await ids({ ...early, date_field }), [], date_field)
      assert.deepEqual(await ids({ ...late, date_field }), ['refunded'], date_field)
    }
  })

  test('an order whose created_at is put right moves to its new place', async () => {
    const window = (second: number) => ({ store_id: 1001, start_date: at(second), end_date: at(second) })
    await world.push(sampleOrder({ id: 'moved', created_at: at(80_000), updated_at: at(80_000) }))
    await world.push(sampleOrder({ id: 'moved', created_at: at(80_100), updated_at: at(80_001) }))
    assert.deepEqual(await ids(window(80_000)), [])
    assert.deepEqual(await ids(window(80_100)), ['moved'])
  })
})

describe('design: the sort order', () => {
  /** Bytes, not letters or UTF-16: capitals before small ones, the emoji behind U+FF5E. */
  const alike = ['a', 'B', 'b', 'A', '10', '9', '1', 'é', '｡', '～', '😀', 'zz', 'z', ' ', '-', '_', '~', 'Z']
  const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  const sorted = alike.toSorted(byBytes)

  for (const [i, date_field] of ['created_at', 'updated_at', 'paid_at'].entries()) {
    const moment = at(100_000 + i)

    test(`${date_field}, then id by its bytes`, async () => {
      const base = { created_at: at(50_000), updated_at: at(500_000), paid_at: at(50_000) }
      await world.push(
        ...alike.map(id => sampleOrder({ ...base, id: `${date_field} ${id}`, [date_field]: moment })),
        sampleOrder({
          ...base,
          id: `${date_field}  first`,
          [date_field]: at(99_999),
        }),
      )
      const query = { store_id: 1001, start_date: at(99_999), end_date: moment, date_field }
      const mine = (await ids({ ...query, count: 2000 })).filter(id => id.startsWith(date_field))
      assert.deepEqual(mine, [`${date_field}  first`, ...sorted.map(id => `${date_field} ${id}`)])
    })
  }

  test('holds from page to page when all times are equal', async () => {
    const query = { store_id: 1001, start_date: at(100_000), end_date: at(100_000) }
    const seen: string[] = []
    for (let index = 0; index < alike.length; index++) {
      const page = await ids({ ...query, index, count: 1 })
      assert.equal(page.length, 1)
      seen.push(...page)
    }
    assert.deepEqual(
      seen,
      sorted.map(id => `created_at ${id}`),
    )
    assert.deepEqual(await ids({ ...query, index: alike.length, count: 1 }), [])
  })
})

describe('spec 4.3: the store', () => {
  test('orders of another store are not listed, also with the same id', async () => {
    await world.push(
      sampleOrder({ store_id: 1001, id: 'same', created_at: at(120_000), order_number: 'one' }),
      sampleOrder({ store_id: 1002, id: 'same', created_at: at(120_000), order_number: 'two' }),
    )
    for (const [store_id, number] of [
      [1001, 'one'],
      [1002, 'two'],
    ] as const) {
      const found = await world.list(orders, { store_id, start_date: at(120_000), end_date: at(120_000) })
      assert.deepEqual(
        found.map(order => [order.store_id, order.order_number]),
        [[store_id, number]],
      )
    }
  })

  test('an order of a store that does not exist is refused', async () => {
    const answer = await world.write(sampleOrder({ store_id: 4711 }))
    assert.equal(answer.status, 422)
    const [detail] = errorOf(answer).details
    assert.deepEqual([detail?.field, detail?.code], ['store_id', 'store_unknown'])
  })

  for (const scope of ['integration.store', 'integration.inventory']) {
    test(`its scope is integration.order: ${scope} is 403`, async () => {
      const token = await world.server.token(world.reader, scope)
      assert.deepEqual(refusal(await world.server.get(orders, token)), [403, 'scope_insufficient'])
    })
  }
})
