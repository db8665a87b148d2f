import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import {
  at,
  day,
  items,
  orders,
  refusal,
  sales,
  startWorld,
  type World,
  withQuery,
} from '../helpers/world.ts'

/** design: a weak ETag from the store's data version; an unchanged poll is 304 (RFC 9110 §8.8.3, §13.1.2, §15.4.5). */

let world: World
let moment = 0

before(async () => {
  world = await startWorld([1001, 1003])
  await world.push(sampleStore({ id: 1002, name: 'Mill Lane' }), sampleItem(), sampleOrder())
})

after(() => world.close())

const cached = [
  { path: orders, query: day },
  { path: items, query: { store_id: 1001 } },
  { path: sales, query: day },
]

/** Something new of the kind that the list shows. */
const news = (path: string): object =>
  path === items
    ? sampleItem({ id: ++moment, updated_at: at(moment) })
    : sampleOrder({ id: `o${++moment}`, created_at: at(moment) })

const poll = async (path: string, query: Record<string, string | number>, etag: string) =>
  world.server.get(withQuery(path, query), await world.token(), { 'if-none-match': etag })

const etagOf = async (path: string, query: Record<string, string | number>): Promise<string> => {
  const { status, headers } = await world.read(path, query)
  assert.equal(status, 200)
  return headers.get('etag') ?? ''
}

test('RFC 9110 §13.1.2: the list of stores has no ETag, and * is 304 there too', async () => {
  const { status, text } = await poll('/integration/v1/stores', {}, '*')
  assert.deepEqual([status, text], [304, ''])
  assert.equal((await poll('/integration/v1/stores', {}, '"x"')).status, 200)
  assert.equal((await poll('/integration/v1/stores', { count: 0 }, '*')).status, 422)
})

for (const { path, query } of cached) {
  describe(`design: the ETag of ${path}`, () => {
    test('it is weak, and the same while nothing changes', async () => {
      const etag = await etagOf(path, query)
      assert.match(etag, /^W\/"[!#-~]+"$/)
      assert.equal(await etagOf(path, query), etag)
    })

    test('an unchanged poll is 304 with the ETag and no body', async () => {
      const etag = await etagOf(path, query)
      world.server.clock.advance(5)
      const { status, headers, text } = await poll(path, query, etag)
      assert.deepEqual([status, headers.get('etag'), text], [304, etag, ''])
    })

    test('a change is seen by the next poll', async () => {
      const etag = await etagOf(path, query)
      await world.push(news(path))
      const { status, headers, json } = await poll(path, query, etag)
      assert.equal(status, 200)
      assert.notEqual(headers.get('etag'), etag)
      assert.ok(json.data.length > 0)
    })

    test('records that change nothing, and those of another store, leave it alone', async () => {
      const record = news(path)
      await world.push(record)
      const etag = await etagOf(path, query)
      await world.push(record, { ...record, store_id: 1003 })
      assert.equal((await poll(path, query, etag)).status, 304)
    })

    test('any of several tags counts, weak or not', async () => {
      const etag = await etagOf(path, query)
      assert.equal((await poll(path, query, `"x", ${etag}, W/"y"`)).status, 304)
      assert.equal((await poll(path, query, etag.slice(2))).status, 304)
    })

    test('a tag of an older version beside the current one changes nothing', async () => {
      const older = await etagOf(path, query)
      await world.push(news(path))
      const current = await etagOf(path, query)
      for (const tags of [`${older}, ${current}`, `${current}, ${older}`])
        assert.equal((await poll(path, query, tags)).status, 304, tags)
    })

    test('RFC 9110 §13.1.2: * is whatever is current: 304 with the ETag, behind every check', async () => {
      const etag = await etagOf(path, query)
      for (const any of ['*', ' * ']) {
        const { status, headers, text } = await poll(path, query, any)
        assert.deepEqual([status, headers.get('etag'), text], [304, etag, ''])
      }
      assert.equal((await poll(path, { ...query, index: 'x' }, '*')).status, 422)
      assert.equal((await poll(path, { ...query, store_id: 4711 }, '*')).status, 404)
      assert.equal((await poll(path, { ...query, store_id: 1002 }, '*')).status, 403)
      const bare = await world.server.get(withQuery(path, query), undefined, { 'if-none-match': '*' })
      assert.deepEqual(refusal(bare), [401, 'token_missing'])
    })

    for (const tag of ['W/"0"', '"nonsense"', 'W/"o"', '', 'W/"o99999999999999999999"', 'x']) {
      test(`a tag that is not the current one is 200: ${tag}`, async () => {
        assert.equal((await poll(path, query, tag)).status, 200)
      })
    }

    test('401, 403, 404 and 422 come before 304', async () => {
      const etag = await etagOf(path, query)
      const headers = { 'if-none-match': etag }
      const bare = await world.server.get(withQuery(path, query), undefined, headers)
      assert.deepEqual(refusal(bare), [401, 'token_missing'])
      const narrow = await world.server.token(world.reader, 'integration.store')
      const scoped = await world.server.get(withQuery(path, query), narrow, headers)
      assert.deepEqual(refusal(scoped), [403, 'scope_insufficient'])
      assert.equal((await poll(path, { ...query, index: 'x' }, etag)).status, 422)
      assert.equal((await poll(path, { ...query, store_id: 4711 }, etag)).status, 404)
      assert.equal((await poll(path, { ...query, store_id: 1002 }, etag)).status, 403)
    })

    test('it is no answer for a shared cache', async () => {
      const { headers } = await world.read(path, query)
      assert.match(headers.get('cache-control') ?? '', /private/)
      assert.match(headers.get('vary') ?? '', /authorization/i)
    })

    test('RFC 9110: HEAD answers as GET does, without a body', async () => {
      const get = await world.read(path, query)
      const head = await fetch(world.server.base + withQuery(path, query), {
        method: 'HEAD',
        headers: { authorization: `Bearer ${await world.token()}` },
      })
      assert.deepEqual(
        [head.status, head.headers.get('etag'), await head.text()],
        [200, get.headers.get('etag'), ''],
      )
    })
  })
}

test('design: orders and items have versions of their own', async () => {
  const ofItems = await etagOf(items, { store_id: 1001 })
  const ofOrders = await etagOf(orders, day)
  await world.push(news(orders))
  assert.equal((await poll(items, { store_id: 1001 }, ofItems)).status, 304)
  assert.equal((await poll(orders, day, ofOrders)).status, 200)
  assert.equal((await poll(items, { store_id: 1001 }, await etagOf(orders, day))).status, 200)
})
