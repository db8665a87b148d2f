import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { grant, redirectUri } from '../helpers/authorize.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { answerOf } from '../helpers/server.ts'
import { activate, day, errorOf, orders, refusal, startWorld, type World } from '../helpers/world.ts'
import { byTest } from '../helpers/by.ts'

let world: World

before(async () => {
  world = await startWorld([1001, 9223372036854775807n, -9223372036854775808n, 9007199254740993n])
  await world.server.newAccount('owner@example.com')
  await world.push(sampleStore({ id: 1002, name: 'Mill Lane' }))
})

after(() => world.close())

const send = async (
  method: string,
  store_id: string | number,
  token: string | null,
  init: RequestInit = {},
) =>
  answerOf(
    await fetch(world.server.base + activate(store_id), {
      method,
      ...init,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...init.headers },
    }),
  )

describe('spec 4.2: activate store integration', () => {
  test('design: POST answers the object with id, name, timezone and the token’s scopes', async () => {
    const token = await world.server.token(world.reader, 'integration.store integration.order')
    const { status, json } = await send('POST', 1001, token)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json.data), ['id', 'name', 'timezone', 'scope'])
    assert.deepEqual(json.data, {
      id: 1001,
      name: 'Harbour Street',
      timezone: 'Australia/Sydney',
      scope: 'integration.store integration.order',
    })
  })

  test('scope is the scope of the token that asks', async () => {
    const { json } = await send('POST', 1001, await world.server.token(world.reader, 'integration.store'))
    assert.equal(json.data.scope, 'integration.store')
  })

  test('a code token activates too', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const { access_token } = await grant(world.server, app)
    const { status, json } = await send('POST', 1001, access_token)
    assert.deepEqual([status, json.data.scope], [200, 'integration.store'])
  })

  test('design: it is idempotent', async () => {
    const token = await world.token()
    const first = await send('POST', 1001, token)
    const again = await send('POST', 1001, token)
    assert.deepEqual([again.status, again.json], [200, first.json])
  })

  test('design: activation is no precondition for reading', async () => {
    const app = await world.server.newApp()
    await world.server.apps.authorize(app.client_id, [1002n], byTest)
    await world.push(sampleOrder({ store_id: 1002 }))
    const query = new URLSearchParams({ ...day, store_id: '1002' })
    const { status, json } = await world.server.get(`${orders}?${query}`, await world.server.token(app))
    assert.deepEqual([status, json.data.length], [200, 1])
  })

  for (const store_id of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
    test(`design: store_id is int64, exact: ${store_id}`, async () => {
      const { status, text } = await send('POST', store_id, await world.token())
      assert.equal(status, 200)
      assert.ok(text.includes(`"data":{"id":${store_id},`), text)
    })
  }

  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    test(`design: ${method} is 405 with Allow: POST`, async () => {
      const answer = await send(method, 1001, await world.token())
      assert.equal(answer.status, 405)
      assert.equal(answer.headers.get('allow'), 'POST')
      if (method !== 'HEAD') assert.equal(errorOf(answer).code, 'method_not_allowed')
    })
  }

  const bodies: [name: string, init: RequestInit][] = [
    ['JSON', { body: '{"store_id":7}', headers: { 'content-type': 'application/json' } }],
    ['broken JSON', { body: '{', headers: { 'content-type': 'application/json' } }],
    ['a form', { body: new URLSearchParams({ store_id: '7' }) }],
    ['an unknown type', { body: 'x', headers: { 'content-type': 'application/x-unknown' } }],
    ['an empty body', { body: '' }],
  ]
  for (const [name, init] of bodies) {
    test(`design: a request body is ignored: ${name}`, async () => {
      const { status, json } = await send('POST', 1001, await world.token(), init)
      assert.deepEqual([status, json.data?.id], [200, 1001])
    })
  }

  test('query parameters: none; what is sent is ignored', async () => {
    const answer = await send('POST', '1001/activate?store_id=7&index=x#', await world.token())
    assert.equal(answer.status, 200)
  })

  for (const store_id of [
    'abc',
    '1.0',
    '1e3',
    '0x1',
    '+1',
    '007',
    '-0',
    '9223372036854775808',
    '%20',
    '1001%20',
  ]) {
    test(`design: store_id is strict: ${store_id} is 422`, async () => {
      const answer = await send('POST', store_id, await world.token())
      assert.deepEqual(refusal(answer), [422, 'parameter_invalid'])
      const [detail] = errorOf(answer).details
      assert.equal(detail?.field, 'store_id')
      assert.ok(detail.message.includes(decodeURIComponent(store_id)), detail.message)
    })
  }

  const refused: [
    name: string,
    store: string,
    token: () => Promise<string | null>,
    want: [number, string],
  ][] = [
    ['no token is 401', '1001', async () => null, [401, 'token_missing']],
    ['a store that does not exist is 404', '9999', () => world.token(), [404, 'store_not_found']],
    ['a store of somebody else is 403', '1002', () => world.token(), [403, 'store_forbidden']],
    [
      'a token without integration.store is 403',
      '1001',
      () => world.server.token(world.reader, 'integration.order'),
      [403, 'scope_insufficient'],
    ],
  ]
  for (const [name, store, token, want] of refused) {
    test(name, async () => assert.deepEqual(refusal(await send('POST', store, await token())), want))
  }
})
