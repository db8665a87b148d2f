import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { sampleStore } from '../helpers/orders.ts'
import { answerOf } from '../helpers/server.ts'
import {
  activate,
  at,
  day,
  errorOf,
  items,
  lists,
  orders,
  refusal,
  sales,
  startWorld,
  stores,
  type World,
  withQuery,
} from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld()
  await world.push(sampleStore({ id: 1002, name: 'Mill Lane' }))
})

after(() => world.close())

const send = async (method: string, path: string, token?: string) =>
  answerOf(
    await fetch(world.server.base + path, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    }),
  )

describe('spec 7: the codes', () => {
  test('200 on success', async () => {
    for (const { path, query } of lists) {
      const { status, json } = await world.read(path, query)
      assert.deepEqual([status, json.status.ack, json.status.errors], [200, 200, null])
    }
  })

  test('401: incorrect credential', async () => {
    assert.deepEqual(refusal(await send('GET', stores, 'not.a.token')), [401, 'token_invalid'])
  })

  const ofStore = [
    { path: orders, query: day },
    { path: items, query: { store_id: 1001 } },
    { path: sales, query: day },
  ]
  for (const { path, query } of ofStore) {
    test(`403: a store the token may not access: ${path}`, async () => {
      const answer = await world.read(path, { ...query, store_id: 1002 })
      assert.deepEqual(refusal(answer), [403, 'store_forbidden'])
      assert.match(errorOf(answer).message, /1002; GET \/integration\/v1\/stores/)
    })
    test(`404: a store that does not exist: ${path}`, async () => {
      const answer = await world.read(path, { ...query, store_id: '9007199254740993' })
      assert.deepEqual(refusal(answer), [404, 'store_not_found'])
      assert.match(errorOf(answer).message, /9007199254740993/)
    })
    test(`422: a required parameter omitted: ${path}`, async () => {
      assert.deepEqual(refusal(await world.read(path)), [422, 'parameter_invalid'])
    })
  }

  test('500: a server fault shows no internals, and is logged once with the request id', async t => {
    const { server } = world
    const fault = async () => {
      throw new Error('the pump in the cellar broke')
    }
    const mocked = t.mock.method(server.storage.stores, 'page', fault)
    const answer = await world.read(stores)
    mocked.mock.restore()
    assert.deepEqual(refusal(answer), [500, 'server_error'])
    assert.doesNotMatch(answer.text, /pump|cellar|\.ts|at async/)
    const logged = server.log.filter(line => line.includes('pump in the cellar'))
    assert.equal(logged.length, 1)
    assert.ok(logged[0]?.includes(answer.headers.get('x-request-id') ?? 'none'))
    assert.equal((await world.read(stores)).status, 200)
  })
})

describe('spec 7: HTTP status equals status.ack on every error path', () => {
  const paths: { method?: string; path: string; want: [number, string]; allow?: string }[] = [
    { path: '/integration', want: [404, 'route_not_found'] },
    { path: '/integration/v1', want: [404, 'route_not_found'] },
    { path: '/integration/v1/', want: [404, 'route_not_found'] },
    { path: '/integration/v1/store', want: [404, 'route_not_found'] },
    { path: '/integration/v1/store/1001', want: [404, 'route_not_found'] },
    { path: '/integration/v1/stores/', want: [404, 'route_not_found'] },
    { path: '/integration/v1/Stores', want: [404, 'route_not_found'] },
    { path: '/integration/v1/inventory', want: [404, 'route_not_found'] },
    { path: '/integration/v1/orders/1', want: [404, 'route_not_found'] },
    { path: '/integration/v1/store/1001/activate/x', want: [404, 'route_not_found'] },
    { method: 'POST', path: '/integration/v1/nothing', want: [404, 'route_not_found'] },
    { path: '/platform/v1/nothing', want: [404, 'route_not_found'] },
    { path: activate(1001), want: [405, 'method_not_allowed'], allow: 'POST' },
    ...[stores, orders, items, sales].flatMap(path =>
      ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(method => ({
        method,
        path,
        want: [405, 'method_not_allowed'] as [number, string],
        allow: 'GET, HEAD',
      })),
    ),
    { path: '/integration/v1/store/%zz/activate', method: 'POST', want: [400, 'request_malformed'] },
    { path: '/integration/v1/%c0%ae', want: [400, 'request_malformed'] },
  ]
  for (const { method = 'GET', path, want, allow } of paths) {
    test(`${method} ${path} is ${want.join(' ')}`, async () => {
      const answer = await send(method, path, await world.token())
      assert.deepEqual(refusal(answer), want)
      if (allow !== undefined) assert.equal(answer.headers.get('allow'), allow)
      assert.equal(answer.json.status.timestamp, world.server.clock.now())
      assert.ok(answer.headers.get('x-request-id'))
    })
  }

  const raw: [name: string, request: string, status: number, code: string][] = [
    ['no HTTP at all', 'HELLO\r\n\r\n', 400, 'request_malformed'],
    [
      'a header without a colon',
      'GET /integration/v1/stores HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n',
      400,
      'request_malformed',
    ],
    [
      'headers that are too large',
      `GET ${stores} HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ]
  for (const [name, request, status, code] of raw) {
    test(`${name} is ${status}, in the envelope`, async () => {
      const socket = connect(Number(new URL(world.server.base).port), '127.0.0.1')
      socket.write(request)
      const answer = await text(socket)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      const { status: block, data } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
      assert.deepEqual([block.ack, block.errors.code, data], [status, code, null])
    })
  }

  test('a HEAD request that fails has the status and no body', async () => {
    const { status, text } = await send('HEAD', orders, await world.token())
    assert.deepEqual([status, text], [422, ''])
  })

  test('a body beyond the bound of the activation is 413', async () => {
    const response = await fetch(world.server.base + activate(1001), {
      method: 'POST',
      headers: { authorization: `Bearer ${await world.token()}` },
      body: 'x'.repeat(70_000),
    })
    assert.deepEqual(refusal(await answerOf(response)), [413, 'body_too_large'])
  })
})

describe('spec 7 rules', () => {
  test('rule 2, design: a code that can be handled by a program is in every error', async () => {
    const long = { ...day, end_date: '2027-01-01 00:00:00' }
    const answers = [
      await send('GET', stores),
      await send('GET', stores, 'x.y.z'),
      await world.read(orders, { ...day, store_id: 1002 }),
      await world.read(orders, { ...day, store_id: 4 }),
      await world.read(orders, { ...day, count: 2001 }),
      await world.read(orders, long),
      await world.read(orders, { ...day, index: 'x' }),
      await world.read('/integration/v1/x'),
      await send('POST', stores),
    ]
    assert.deepEqual(
      answers.map(answer => errorOf(answer).code),
      [
        'token_missing',
        'token_invalid',
        'store_forbidden',
        'store_not_found',
        'count_too_large',
        'window_too_long',
        'parameter_invalid',
        'route_not_found',
        'method_not_allowed',
      ],
    )
  })

  test('rule 3, design: status.errors is {code, message, details: [{field, code, message}]}', async () => {
    const { details } = errorOf(await world.read(orders, { store_id: 'x' }))
    assert.equal(details.length, 3)
    for (const detail of details) {
      assert.deepEqual(Object.keys(detail), ['field', 'code', 'message'])
      for (const value of Object.values(detail)) assert.equal(typeof value, 'string')
    }
    assert.deepEqual(errorOf(await send('GET', stores)).details, [])
  })

  test('rule 4, design: count above 2000 and a window above 2 days are 422', async () => {
    assert.equal((await world.read(orders, { ...day, count: 2001 })).status, 422)
    assert.equal((await world.read(orders, { ...day, start_date: at(-86_402) })).status, 422)
  })

  test('rule 5, design: errors of the authorization and token endpoints are RFC 6749 JSON', async () => {
    for (const path of ['/auth/v2/nothing', '/auth/v2', '/auth/v1/token']) {
      const answer = await send('GET', path)
      assert.deepEqual([answer.status, answer.json.error], [404, 'invalid_request'])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  })

  test('a long value is shown cut, a control character is shown as an escape', async () => {
    const { message } = errorOf(await world.read(stores, { index: `\u0007${'9'.repeat(5000)}` }))
    assert.ok(message.length < 300, message)
    assert.match(message, /\\u0007/)
  })

  test('a message says nothing of a secret: the token is not repeated', async () => {
    const token = `${await world.token()}x`
    const answer = await send('GET', withQuery(stores, { index: 'x' }), token)
    assert.ok(!answer.text.includes(token.slice(0, 40)))
  })
})
