import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { byTest } from '../helpers/by.ts'
import { sampleCart, sampleItem, sampleOrder } from '../helpers/orders.ts'
import { at, day, items, orders, startWorld, withQuery, type World } from '../helpers/world.ts'

/** A large page leaves piece by piece, at the pace of its reader; each piece is read when the one before is gone. */

let world: World
const count = 2000
const page = { ...day, count }

/** Some 10 KB each, so that a page is far more than sockets hold. */
const bigOrder = (n: number, over: object = {}) =>
  sampleOrder({
    store_id: 1001,
    id: `O-${n}`,
    created_at: at(n * 10),
    carts: Array.from({ length: 40 }, (_, i) => sampleCart({ tid: i })),
    ...over,
  })

before(async () => {
  world = await startWorld()
  for (let n = 0; n < count; n += 500)
    await world.push(...Array.from({ length: 500 }, (_, i) => bigOrder(n + i)))
  await world.push(
    ...Array.from({ length: 8000 }, (_, n) => sampleItem({ id: n, name: `Item ${n}`.repeat(60) })),
  )
})

after(() => world.close())

/** An answer whose body nobody has begun to read. */
async function begin(path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(world.server.base)
  const headers = { authorization: `Bearer ${await world.token()}` }
  const sent = request({ hostname, port, path, headers, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

const idsOf = (body: string): string[] => JSON.parse(body).data.map((order: { id: string }) => order.id)

test('its entries are those that it began with, each once, whatever is written meanwhile', async () => {
  const response = await begin(withQuery(orders, page))
  // The first one moves behind the last, one in the middle before the first, and a new one stands between them.
  await world.push(
    bigOrder(0, { created_at: at(count * 10), updated_at: '2026-11-10 00:00:00' }),
    bigOrder(1500, { created_at: at(0), updated_at: '2026-11-10 00:00:00' }),
    bigOrder(9999, { created_at: at(15_005) }),
  )
  const ids = idsOf(await text(response))
  assert.equal(ids.length, count)
  assert.deepEqual(
    ids,
    Array.from({ length: count }, (_, n) => `O-${n}`),
  )
})

for (const [name, path] of [
  ['orders', withQuery(orders, page)],
  ['items', withQuery(items, { store_id: 1001, count: 8000 })],
] as const) {
  test(`a revocation ends a page of ${name} that is under way, and it does not look whole`, async () => {
    const response = await begin(path)
    const { apps } = world.server
    await apps.revoke(world.reader.client_id, null, byTest)
    try {
      await assert.rejects(text(response), { code: 'ECONNRESET' })
      assert.equal(response.complete, false)
    } finally {
      await apps.authorize(world.reader.client_id, [1001n], byTest)
    }
  })
}

test('a scope that the app loses ends a page of changes that is under way, and the server goes on', async () => {
  const { apps } = world.server
  const { client_id } = world.reader
  const { storage } = world.server
  const { name = '', scope = '' } = (await storage.apps.find(client_id)) ?? {}
  const setScope = (scope: string) => apps.change(client_id, { name, redirect_uris: [], scope }, byTest)
  const response = await begin(withQuery('/integration/v1/changes', { store_id: 1001, count: 2000 }))
  await setScope('integration.store integration.inventory')
  try {
    await assert.rejects(text(response), { code: 'ECONNRESET' })
    assert.deepEqual(
      world.server.events().filter(({ level }) => level >= 50),
      [],
    )
  } finally {
    await setScope(scope)
    await apps.authorize(client_id, [1001n], byTest)
  }
})

test('a reader who goes away in the middle leaves nothing behind', async () => {
  const response = await begin(withQuery(orders, page))
  response.destroy()
  await once(response, 'close')
  assert.equal((await world.list(orders, page)).length, count)
  assert.deepEqual(
    world.server.events().filter(({ level }) => level >= 50),
    [],
  )
})
