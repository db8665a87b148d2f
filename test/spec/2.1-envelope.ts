import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { activate, errorOf, lists, startWorld, type World, withQuery } from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld()
  await world.push(sampleItem(), sampleOrder())
})

after(() => world.close())

const endpoints = [
  ...lists.map(({ path, query }) => ({ method: 'GET', path: withQuery(path, query) })),
  { method: 'POST', path: activate(1001) },
]

async function ask({ method, path }: (typeof endpoints)[number], token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(world.server.base + path, { method, headers })
  return { response, body: (await response.json()) as any }
}

describe('spec 2.1: the envelope', () => {
  for (const endpoint of endpoints) {
    const name = `${endpoint.method} ${endpoint.path.split('?')[0]}`

    test(`${name} answers status and data, and nothing else`, async () => {
      const { response, body } = await ask(endpoint, await world.token())
      assert.equal(response.status, 200)
      assert.deepEqual(Object.keys(body), ['status', 'data'])
      assert.deepEqual(Object.keys(body.status), ['timestamp', 'ack', 'errors'])
    })

    test(`${name} is JSON`, async () => {
      const { response } = await ask(endpoint, await world.token())
      assert.match(response.headers.get('content-type') ?? '', /^application\/json\b/)
    })

    test(`status.ack is 200 and status.errors null on success: ${name}`, async () => {
      const { body } = await ask(endpoint, await world.token())
      assert.equal(body.status.ack, 200)
      assert.equal(body.status.errors, null)
    })

    test(`design: status.timestamp is the server’s time in seconds: ${name}`, async () => {
      world.server.clock.advance(61)
      const { body } = await ask(endpoint, await world.token())
      assert.equal(body.status.timestamp, world.server.clock.now())
    })

    test(`design: status.timestamp is in error answers too: ${name}`, async () => {
      world.server.clock.advance(61)
      const { body } = await ask(endpoint)
      assert.deepEqual([body.status.timestamp, body.status.ack], [world.server.clock.now(), 401])
    })
  }

  test('data is an array for lists', async () => {
    for (const { path, query } of lists) {
      const { data } = (await world.read(path, query)).json
      assert.ok(Array.isArray(data), path)
      assert.equal(data.length, 1, path)
    }
  })

  test('data is an object for the activation', async () => {
    const { body } = await ask({ method: 'POST', path: activate(1001) }, await world.token())
    assert.equal(body.data.id, 1001)
  })

  test('status.errors is an object when ack is not 200, and data is null', async () => {
    const { message, details } = errorOf(await world.read('/integration/v1/orders'))
    assert.notEqual(message, '')
    assert.deepEqual(
      details.map(({ field }) => field),
      ['store_id', 'start_date', 'end_date'],
    )
  })

  test('the token endpoint’s answers are not wrapped', async () => {
    const granted = await world.server.post('/auth/v2/token', {
      grant_type: 'client_credentials',
      ...world.reader,
    })
    assert.equal(granted.status, 200)
    assert.ok(!('status' in granted.json) && !('data' in granted.json))
    const refused = await world.server.post('/auth/v2/token', { grant_type: 'client_credentials' })
    assert.ok(refused.status >= 400)
    assert.ok(!('status' in refused.json) && !('data' in refused.json))
  })

  test('every answer carries X-Request-Id, another one each time', async () => {
    const token = await world.token()
    const ids = await Promise.all(
      [...endpoints, ...endpoints].map(async endpoint => (await ask(endpoint, token)).response.headers),
    )
    assert.equal(new Set(ids.map(headers => headers.get('x-request-id'))).size, 2 * endpoints.length)
    assert.ok(!ids.some(headers => headers.get('x-request-id') === null))
  })
})
