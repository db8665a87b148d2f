import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type Client, createClient, TillgateError } from '../../client/src/index.ts'
import { follow } from '../../client/src/mirror/follow.ts'
import { createHeads } from '../../client/src/mirror/heads.ts'
import { pause } from '../../client/src/transport.ts'

/** Faults that a server has to be made to show: a bare server that answers as each test says. */

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void
let answers: Handler[] = []
const seen: { url: string; headers: IncomingMessage['headers']; body: string }[] = []
const http = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  seen.push({ url: request.url ?? '', headers: request.headers, body })
  const handler = request.url === '/auth/v2/token' ? token : (answers.shift() ?? data([]))
  handler(request, response, body)
})
let base = ''
before(async () => {
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
after(() => {
  http.closeAllConnections()
  http.close()
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))
const data = (rows: unknown, headers = {}): Handler =>
  json(200, { status: { timestamp: 1, ack: 200, errors: null }, data: rows }, headers)
const failure = (status: number, headers: Record<string, string> = {}): Handler =>
  json(
    status,
    { status: { ack: status, errors: { code: 'x', message: 'no', details: [] } }, data: null },
    headers,
  )
const token: Handler = json(200, { access_token: 't', scope: '', token_type: 'Bearer', expires_in: 172800 })
const hangUp: Handler = request => void request.socket.destroy()
const cutOff: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"status":{')
  setImmediate(() => response.destroy())
}
const half: Handler = (_, response) => void response.end('{"status":{"ack":200},"data":[{"id":1}')

/** What a read of the stores gives when the server answers so, and the pauses between the attempts. */
async function read(handlers: Handler[], options: object = {}) {
  answers = handlers
  seen.length = 0
  const pauses: number[] = []
  const sleep = async (milliseconds: number) => void pauses.push(milliseconds)
  const client = createClient({ baseUrl: base, clientId: 'a', clientSecret: 'b', sleep, ...options })
  const result = await Array.fromAsync(client.stores()).catch(error => error)
  return { result, pauses, requests: seen.filter(({ url }) => url !== '/auth/v2/token').length }
}

for (const [name, fault] of [
  ['429', failure(429)],
  ['503', failure(503)],
  ['a connection that is closed', hangUp],
  ['an answer that is cut off', cutOff],
  ['half an answer that ends properly', half],
] as const) {
  test(`${name} is tried again`, async () => {
    const { result, pauses, requests } = await read([fault, fault, data([{ id: 1 }])])
    assert.deepEqual(result, [{ id: 1 }])
    assert.deepEqual([pauses.length, requests], [2, 3])
  })
}

for (const status of [400, 403, 404, 405, 409, 413, 422, 501]) {
  test(`${status} is not tried again`, async () => {
    const { result, requests } = await read([failure(status)])
    assert.deepEqual([result.status, requests], [status, 1])
  })
}

test('408, 500, 502 and 504 are tried again for a read, and not for a POST', async () => {
  for (const status of [408, 500, 502, 504]) {
    const { result, requests } = await read([failure(status), data([{ id: 1 }])])
    assert.deepEqual([result, requests], [[{ id: 1 }], 2], String(status))
    answers = [failure(status), data({ id: 1 })]
    seen.length = 0
    const client = createClient({ baseUrl: base, clientId: 'a', clientSecret: 'b' })
    await assert.rejects(client.activate({ storeId: 1 }), { status })
    assert.equal(seen.length, 2, 'the token and one attempt')
  }
  answers = [failure(503), data({ id: 1 })]
  const client = createClient({ baseUrl: base, clientId: 'a', clientSecret: 'b', sleep: async () => {} })
  assert.deepEqual(await client.activate({ storeId: 1 }), { id: 1 })
})

test('retries have a limit, and the last error is thrown', async () => {
  const { result, requests } = await read(
    Array.from({ length: 9 }, () => failure(503)),
    { retry: { limit: 3 } },
  )
  assert.deepEqual([result.status, requests], [503, 4])
})

test('pauses grow, with jitter, up to the longest', async () => {
  const faults = () => Array.from({ length: 9 }, () => failure(503))
  const { pauses } = await read(faults(), { retry: { limit: 8, base: 100, max: 1000 } })
  for (const [i, pause] of pauses.entries()) {
    const step = Math.min(1000, 100 * 2 ** i)
    assert.ok(pause >= step / 2 && pause <= step, `pause ${i} was ${pause}`)
  }
  assert.equal(new Set(pauses.slice(-4).map(Math.round)).size > 1, true)
})

test('Retry-After is the least pause, in seconds or as a date; a very long one is an error at once', async () => {
  const { pauses } = await read([failure(429, { 'retry-after': '7' }), data([])])
  assert.ok(pauses[0] !== undefined && pauses[0] >= 7000 && pauses[0] <= 8000, String(pauses[0]))
  const date = new Date(Date.now() + 60_000).toUTCString()
  const dated = await read([failure(503, { 'retry-after': date }), data([])])
  assert.ok(dated.pauses[0] !== undefined && dated.pauses[0] > 50_000 && dated.pauses[0] <= 61_000)
  const { result, requests } = await read([failure(429, { 'retry-after': '86400' })])
  assert.deepEqual([result.retryAfter, requests], [86_400, 1])
})

test('Retry-After as a date counts by the server’s clock, which may differ from this one', async () => {
  const server = Date.now() + 3_600_000
  const at = (time: number) => new Date(time).toUTCString()
  const skewed = failure(503, { date: at(server), 'retry-after': at(server + 20_000) })
  const { pauses, requests } = await read([skewed, data([])])
  assert.equal(requests, 2)
  assert.ok(pauses[0] !== undefined && pauses[0] >= 19_000 && pauses[0] <= 21_000, String(pauses[0]))
})

test('an answer 200 that is not the API’s is tried again, and then an error with its request id', async () => {
  const page: Handler = (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html', 'x-request-id': 'r-1' }).end('<h1>Welcome')
  assert.deepEqual((await read([page, data([{ id: 1 }])])).result, [{ id: 1 }])
  const { result, requests } = await read([page, page, page], { retry: { limit: 1 } })
  const { code, status, requestId } = result
  assert.deepEqual([code, status, requestId, requests], ['response_invalid', 200, 'r-1', 2])
})

test('data of another form, and pagination without progress, are errors of the answer', async () => {
  const invalid = { name: 'TillgateError', code: 'response_invalid' }
  const page = { feed: 'f', kinds: [], changes: [], next: 5, more: true }
  const calls: [unknown, (client: Client) => Promise<unknown>][] = [
    [null, client => Array.fromAsync(client.stores())],
    [{}, client => Array.fromAsync(client.items({ storeId: 1 }))],
    [[], client => Array.fromAsync(client.changes({ storeId: 1 }))],
    [{ ...page, next: 'x' }, client => Array.fromAsync(client.changes({ storeId: 1 }))],
    [page, client => Array.fromAsync(client.changes({ storeId: 1, after: 5, feed: 'f' }))],
    [{ ...page, next: 4 }, client => Array.fromAsync(client.changes({ storeId: 1, after: 5, feed: 'f' }))],
    [[], client => client.receipts({ storeId: 1, startDay: '2026-11-01', endDay: '2026-11-01' })],
  ]
  for (const [rows, call] of calls) {
    answers = Array.from({ length: 3 }, () => data(rows))
    const client = createClient({ baseUrl: base, clientId: 'a', clientSecret: 'b', retry: { limit: 0 } })
    await assert.rejects(call(client), invalid, JSON.stringify(rows))
  }
  const { result, requests } = await read(
    Array.from({ length: 9 }, () => data([], { link: '</x?cursor=same>; rel="next"' })),
  )
  assert.deepEqual([result.code, requests], ['response_invalid', 2])
  const around = ['a', 'b', 'a', 'b'].map(name => data([], { link: `</x?cursor=${name}>; rel="next"` }))
  const circle = await read([...around])
  assert.deepEqual([circle.result.code, circle.requests], ['response_invalid', 3])
  answers = around
  const heads = createHeads(createClient({ baseUrl: base, clientId: 'a', clientSecret: 'b' }))
  await assert.rejects(heads.read(0, new AbortController().signal), invalid)
})

const validToken = {
  tokenStore: { get: () => ({ accessToken: 't', scope: '', expiresAt: Infinity }), set: () => {} },
}

/** A client whose requests are answered by `respond`. */
const clientOf = (respond: (url: string, init: RequestInit) => Promise<Response>, options: object = {}) =>
  createClient({
    baseUrl: 'http://server.invalid',
    clientId: 'a',
    clientSecret: 'b',
    fetch: (url, init) => respond(String(url), init ?? {}),
    ...options,
  })

test('a token that is valid for seconds serves more than one request', async () => {
  let [time, made] = [0, 0]
  const client = clientOf(
    async url => {
      if (!url.endsWith('/token')) return Response.json({ data: [] })
      return Response.json({ access_token: `t${++made}`, scope: '', expires_in: 30 })
    },
    { now: () => time },
  )
  for (const at of [0, 10_000, 26_000]) {
    time = at
    await Array.fromAsync(client.stores())
  }
  assert.equal(made, 1)
  time = 27_001
  await Promise.all([1, 2, 3].map(() => Array.fromAsync(client.stores())))
  assert.equal(made, 2, 'a tenth of its life before its end')
})

test('a renewal that nobody waits for any more is given up; one that somebody waits for goes on', async () => {
  const asked: AbortSignal[] = []
  const client = clientOf(
    (_url, { signal }) =>
      new Promise((_, reject) => {
        asked.push(signal as AbortSignal)
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  const [first, second] = [new AbortController(), new AbortController()]
  const waiting = [first, second].map(({ signal }) => assert.rejects(client.token({ signal }), /stopped/))
  while (asked.length === 0) await new Promise(setImmediate)
  first.abort(new Error('stopped'))
  await waiting[0]
  assert.deepEqual(
    asked.map(({ aborted }) => aborted),
    [false],
  )
  second.abort(new Error('stopped'))
  await waiting[1]
  assert.equal(asked[0]?.aborted, true)
})

test('a refresh is finished and stored, also when nobody waits for it any more', async () => {
  const answered = Promise.withResolvers<Response>()
  const stored = Promise.withResolvers<string>()
  const asked: string[] = []
  const old = { accessToken: 'old', scope: '', expiresAt: 0, refreshToken: 'r1' }
  const client = clientOf(
    url => {
      asked.push(url)
      return answered.promise
    },
    {
      tokenStore: {
        get: () => old,
        set: ({ accessToken }: { accessToken: string }) => stored.resolve(accessToken),
      },
    },
  )
  const controller = new AbortController()
  const waiting = assert.rejects(client.token({ signal: controller.signal }), /stopped/)
  while (asked.length === 0) await new Promise(setImmediate)
  controller.abort(new Error('stopped'))
  await waiting
  answered.resolve(Response.json({ access_token: 'new', refresh_token: 'r2', scope: '', expires_in: 60 }))
  assert.equal(await stored.promise, 'new')
})

test('a store id that has lost its digits already is refused before anything is sent', async () => {
  const client = clientOf(() => Promise.reject(new Error('sent')))
  const storeId = Number('9007199254740993')
  await assert.rejects(Array.fromAsync(client.items({ storeId })), TypeError)
  await assert.rejects(client.activate({ storeId }), TypeError)
})

test('a real pause ends when the signal aborts', async () => {
  answers = [failure(503, { 'retry-after': '60' })]
  const controller = new AbortController()
  const sleep: typeof pause = (milliseconds, signal) => {
    const pausing = pause(milliseconds, signal)
    controller.abort(new Error('stopped'))
    return pausing
  }
  const client = createClient({ baseUrl: base, clientId: 'a', clientSecret: 'b', sleep })
  const began = performance.now()
  await assert.rejects(Array.fromAsync(client.stores({ signal: controller.signal })), /stopped/)
  assert.ok(performance.now() - began < 30_000, 'the pause went on')
})

test('no time is too long for a timer, and a timeout of 0 or Infinity is none', async () => {
  const overflows: string[] = []
  const listen = ({ name, message }: Error) => {
    if (name === 'TimeoutOverflowWarning') overflows.push(message)
  }
  process.on('warning', listen)
  const controller = new AbortController()
  const pausing = pause(1e12, controller.signal)
  for (const timeout of [0, Infinity, 1e12]) {
    const respond = async (_: string, { signal }: RequestInit) => {
      // Behind a timer of 0 ms.
      await new Promise(resolve => setTimeout(resolve, 5))
      return Response.json({ data: [{ aborted: signal?.aborted }] })
    }
    const client = clientOf(respond, { timeout, ...validToken })
    assert.deepEqual(await Array.fromAsync(client.stores()), [{ aborted: false }], String(timeout))
  }
  controller.abort(new Error('stopped'))
  await assert.rejects(pausing, /stopped/)
  process.off('warning', listen)
  assert.deepEqual(overflows, [])
})

test('mirror --follow pauses an hour at most, whatever Retry-After says', async () => {
  const controller = new AbortController()
  const pauses: number[] = []
  const overloaded = async () => {
    throw new TillgateError('rate_limited', 'no', { status: 429, retryAfter: 1e12 })
  }
  await follow({
    sync: { stores: overloaded, changes: overloaded, unreadable: () => [] },
    copy: {} as never,
    heads: { read: overloaded },
    signal: controller.signal,
    onCurrent: () => {},
    onTrouble: (_, seconds) => {
      pauses.push(seconds)
      controller.abort()
    },
  })
  assert.deepEqual(pauses, [3600])
})

test('iss is compared with the address as URLs are normalized', async () => {
  const respond = async () =>
    Response.json({ access_token: 't', refresh_token: 'r', scope: '', expires_in: 60 })
  const client = clientOf(respond, { baseUrl: 'HTTPS://Pos.Example:443/' })
  const pending = await client.authorizationUrl({ redirectUri: 'https://app.example/callback' })
  assert.ok(pending.url.startsWith('https://pos.example/auth/v2/authorize?'))
  const back = `?code=c&state=${pending.state}&iss=https://pos.example`
  assert.equal((await client.completeAuthorization(back, pending)).refreshToken, 'r')
})

test('completeAuthorization ends when the signal aborts', async () => {
  const client = createClient({ baseUrl: base, clientId: 'a' })
  const pending = await client.authorizationUrl({ redirectUri: 'https://app.example/callback' })
  const back = `?code=c&state=${pending.state}&iss=${encodeURIComponent(base)}`
  const controller = new AbortController()
  const { signal } = controller
  http.once('request', () => controller.abort(new Error('stopped')))
  await assert.rejects(client.completeAuthorization(back, pending, { signal }), /stopped/)
  seen.length = 0
  await assert.rejects(client.completeAuthorization(back, pending, { signal }), /stopped/)
  assert.equal(seen.length, 0)
})

test('no answer in time is a failed connection', async () => {
  const silent: Handler = () => {}
  const { result, requests } = await read([silent, silent], {
    timeout: 300,
    retry: { limit: 1 },
    ...validToken,
  })
  assert.deepEqual([result.code, result.status, requests], ['connection_failed', 0, 2])
  assert.match(result.message, /GET \/integration\/v1\/stores: no answer within 0.3 seconds/)
})

test('the token goes to no other address: a Link to one, and a redirect, are not followed', async () => {
  const link = '<https://elsewhere.example/steal?cursor=abc&count=1000>; rel="next"'
  const { result } = await read([data([{ id: 1 }], { link }), data([{ id: 2 }])])
  assert.deepEqual(result, [{ id: 1 }, { id: 2 }])
  assert.equal(seen.at(-1)?.url, '/integration/v1/stores?count=1000&cursor=abc')
  const away = (_: unknown, response: ServerResponse) =>
    response.writeHead(302, { location: '/elsewhere' }).end()
  const redirected = await read([away as Handler])
  assert.deepEqual(
    [redirected.result.code, redirected.result.status, redirected.requests],
    ['response_invalid', 302, 1],
  )
  assert.equal(redirected.result.message, 'GET /integration/v1/stores: 302 redirects to /elsewhere')
  assert.equal(
    seen.some(({ url }) => url === '/elsewhere'),
    false,
  )
})

test('changes with follow and wait 0 pause between empty pages', async () => {
  let requests = 0
  const page = { feed: 'f', kinds: [], changes: [], next: 5, more: false }
  const client = clientOf(async () => {
    requests++
    await new Promise(setImmediate)
    return Response.json({ data: page })
  }, validToken)
  const controller = new AbortController()
  const list = client.changes({ storeId: 1, follow: true, wait: 0, signal: controller.signal })
  const reading = Array.fromAsync(list.pages())
  // Time for many requests, and for no pause.
  for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate)
  controller.abort(new Error('stopped'))
  await assert.rejects(reading, /stopped/)
  assert.equal(requests, 2)
})

test('orders from a moment that this clock has not reached, without an end, are none', async () => {
  const windows: (string | null)[][] = []
  const client = clientOf(async url => {
    const { searchParams } = new URL(url)
    windows.push(['start_date', 'end_date'].map(name => searchParams.get(name)))
    return Response.json({ data: [] })
  }, validToken)
  assert.deepEqual(await Array.fromAsync(client.orders({ storeId: 1, from: '2999-01-01 00:00:05' })), [])
  assert.deepEqual(windows, [['2999-01-01 00:00:05', '2999-01-01 00:00:05']])
})

test('the secret is posted once to a server that redirects', async () => {
  const posted: string[] = []
  const location = 'https://pos.example/auth/v2/token'
  const client = clientOf(async url => {
    posted.push(url)
    return new Response(null, { status: 301, headers: { location } })
  })
  await assert.rejects(client.token(), {
    code: 'response_invalid',
    status: 301,
    message: `POST /auth/v2/token: 301 redirects to ${location}`,
  })
  assert.equal(posted.length, 1)
})

test('createClient says what is missing', () => {
  for (const options of [undefined, {}, { clientId: 'a' }]) {
    const named = { name: 'TypeError', message: 'createClient needs baseUrl' }
    assert.throws(() => createClient(options as never), named)
  }
})

test('an address or path that cannot be one is an error at once', async () => {
  for (const baseUrl of ['pos.example', 'ftp://pos.example', 'localhost:8080']) {
    const named = { name: 'TypeError', message: `baseUrl was "${baseUrl}"; it must be an http(s) address` }
    assert.throws(() => createClient({ baseUrl, clientId: 'a' }), named)
  }
  const client = clientOf(async () => Response.json({ access_token: 't', expires_in: 60, data: [] }))
  await assert.rejects(client.request({ path: '.elsewhere.example/' }), {
    name: 'TypeError',
    message: 'path was ".elsewhere.example/"; it must begin with "/"',
  })
})

test('a server without Link is read by index until a page is not full', async () => {
  answers = [data([{ id: 1 }, { id: 2 }]), data([{ id: 3 }])]
  seen.length = 0
  const client = createClient({ baseUrl: `${base}/`, clientId: 'a', clientSecret: 'b' })
  assert.equal((await Array.fromAsync(client.stores({ count: 2 }))).length, 3)
  assert.deepEqual(
    seen.slice(1).map(({ url }) => url),
    ['/integration/v1/stores?count=2&index=0', '/integration/v1/stores?count=2&index=1'],
  )
})

test('errors as text, and answers that are not the API’s, are understood', async () => {
  const asText = json(403, { status: { ack: 403, errors: 'not yours' }, data: null })
  assert.match((await read([asText])).result.message, /403 not yours/)
  const html: Handler = (_, response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>')
  const { result } = await read([html], { retry: { limit: 0 } })
  assert.deepEqual(
    [result.code, result.message],
    ['response_invalid', 'GET /integration/v1/stores: 502 response_invalid'],
  )
})

test('401 twice is thrown, with one new token in between', async () => {
  const { result, requests } = await read([failure(401), failure(401), data([])])
  assert.deepEqual([result.status, requests], [401, 2])
  assert.equal(seen.filter(({ url }) => url === '/auth/v2/token').length, 2)
})
