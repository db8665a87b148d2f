import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createClient } from '../../client/src/index.ts'
import { createSignUpLimit } from '../../src/sandbox/sign-up-limit.ts'
import { Browser } from '../helpers/browser.ts'
import { decide, redeem, redirectUri } from '../helpers/authorize.ts'
import { sampleOrder } from '../helpers/orders.ts'
import { password } from '../helpers/server.ts'
import { activate, day, orders, startWorld, stores, withQuery, type World } from '../helpers/world.ts'

/** TILLGATE_SANDBOX=1: requests that fail as X-Sandbox-Fault says, and a store for every developer. */

let world: World
const fault = 'x-sandbox-fault'

before(async () => {
  // A trusted proxy, so that a test can send from several addresses.
  world = await startWorld([1001], { config: { sandbox: true, trust_proxy: '127.0.0.1' } })
  const many = Array.from({ length: 300 }, (_, n) => sampleOrder({ id: `o-${n}` }))
  await world.push(...many)
})

after(() => world.close())

const get = async (path: string, headers: Record<string, string> = {}, token?: string) =>
  fetch(world.server.base + path, {
    redirect: 'manual',
    headers: { authorization: `Bearer ${token ?? (await world.token())}`, ...headers },
  })

describe('X-Sandbox-Fault', () => {
  for (const [value, status, code] of [
    ['429', 429, 'rate_limited'],
    ['503', 503, 'service_unavailable'],
    [' 503 ', 503, 'service_unavailable'],
  ] as const) {
    test(`${value}: the API’s own error, with Retry-After`, async () => {
      const answer = await get(stores, { [fault]: value })
      assert.equal(answer.status, status)
      assert.equal(answer.headers.get('retry-after'), '1')
      assert.ok(answer.headers.get('x-request-id'))
      const body = (await answer.json()) as any
      assert.deepEqual([body.status.ack, body.status.errors.code, body.data], [status, code, null])
    })
  }

  test('timeout: no answer comes', async () => {
    const signal = AbortSignal.timeout(300)
    const headers = { authorization: `Bearer ${await world.token()}`, [fault]: 'timeout' }
    await assert.rejects(fetch(world.server.base + stores, { headers, signal }), { name: 'TimeoutError' })
  })

  for (const [name, path, headers] of [
    ['a short list', stores, { 'accept-encoding': 'identity' }],
    ['a list of orders', withQuery(orders, { ...day, count: 100 }), { 'accept-encoding': 'identity' }],
    ['a compressed one', withQuery(orders, { ...day, count: 100 }), { 'accept-encoding': 'gzip' }],
    [
      'one that is sent in pieces',
      withQuery(orders, { ...day, count: 2000 }),
      { 'accept-encoding': 'identity' },
    ],
  ] as const) {
    test(`cut: ${name} ends in the middle, and the client notices`, async () => {
      const whole = await (await get(path, headers)).text()
      const answer = await get(path, { ...headers, [fault]: 'cut' })
      assert.equal(answer.status, 200)
      let received = 0
      await assert.rejects(async () => {
        for await (const chunk of answer.body ?? []) received += chunk.length
      })
      assert.ok(received < whole.length, `${received} of ${whole.length}`)
      // A decompressor may give out nothing of the half that it got.
      if (headers['accept-encoding'] === 'identity') assert.ok(received > 0)
    })
  }

  test('cut: of a long answer no more than 64 KiB are read', async () => {
    const path = withQuery(orders, { ...day, count: 2000 })
    const headers = { 'accept-encoding': 'identity' }
    assert.ok((await (await get(path, headers)).text()).length > 200_000)
    const answer = await get(path, { ...headers, [fault]: 'cut' })
    let received = 0
    await assert.rejects(async () => {
      for await (const chunk of answer.body ?? []) received += chunk.length
    })
    assert.equal(received, 32 * 1024)
  })

  test('cut: the request is carried out', async () => {
    const { server, reader } = world
    const headers = { authorization: `Bearer ${await world.token()}`, [fault]: 'cut' }
    const answer = await fetch(server.base + activate(1001), { method: 'POST', headers })
    await assert.rejects(answer.text())
    const [found] = await server.storage.browse.readersOf(1001n)
    assert.equal(found?.app_id, reader.client_id)
    assert.notEqual(found.activated_at, null)
  })

  test('a value that is none is refused, with the values that there are', async () => {
    const answer = await get(stores, { [fault]: '418' })
    assert.equal(answer.status, 400)
    assert.match(
      await answer.text(),
      /X-Sandbox-Fault is \\"418\\"; it must be one of 429, 503, timeout, cut/,
    )
  })

  test('a request without a valid token gets 401, whatever it asks for', async () => {
    for (const value of ['429', 'timeout', 'cut', 'x']) {
      assert.equal((await get(stores, { [fault]: value }, 'nonsense')).status, 401)
    }
  })

  test('the token endpoint: errors of RFC 6749; a lost answer comes again with its Idempotency-Key', async () => {
    const { server } = world
    await server.newAccount('owner@example.com')
    const app = await server.newApp({ redirect_uris: [redirectUri] })
    const grant = {
      grant_type: 'client_credentials',
      client_id: app.client_id,
      client_secret: app.client_secret,
    }
    const refused = await server.post('/auth/v2/token', grant, { [fault]: '503' })
    assert.deepEqual([refused.status, refused.json.error], [503, 'temporarily_unavailable'])
    const callback = await decide(server, app)
    const first = await redeem(server, app, callback.searchParams.get('code'))
    const form = { ...grant, grant_type: 'refresh_token', refresh_token: first.json.refresh_token }
    const key = { 'idempotency-key': 'one-refresh' }
    await assert.rejects(server.post('/auth/v2/token', form, { ...key, [fault]: 'cut' }))
    const again = await server.post('/auth/v2/token', form, key)
    assert.equal(again.status, 200)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  test('nowhere else: not on pages, platform, health and the other OAuth endpoints', async () => {
    const { server } = world
    const headers = { [fault]: '503' }
    for (const path of ['/login', '/health/ready', '/openapi.json', '/auth/v2/jwks', '/metrics']) {
      assert.equal((await server.get(path, undefined, headers)).status, 200, path)
    }
    const token = await server.token(world.platform)
    const written = await fetch(`${server.base}/platform/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson', ...headers },
      body: JSON.stringify(sampleOrder()),
    })
    assert.equal(written.status, 200)
  })

  test('the API reference describes the header where it has an effect', async () => {
    const { paths } = (await world.server.get('/openapi.json')).json
    for (const [path, operations] of Object.entries<any>(paths)) {
      for (const [method, { parameters = [] }] of Object.entries<any>(operations)) {
        const described = parameters.filter(
          (each: any) => each.in === 'header' && each.name === 'X-Sandbox-Fault',
        )
        const applies = path.startsWith('/integration/') || path === '/auth/v2/token'
        assert.equal(described.length, applies ? 1 : 0, `${method} ${path}`)
        if (!applies) continue
        assert.deepEqual(described[0].schema.enum, ['429', '503', 'timeout', 'cut'])
        assert.notEqual(described[0].required, true)
      }
    }
    const others = paths['/integration/v1/orders'].get.parameters.map((each: any) => each.name)
    assert.ok(others.includes('If-None-Match'), 'the other headers stay')
  })

  test('script of an app’s origin may send it, and reads the answer of the token endpoint too', async () => {
    const { server } = world
    await server.newApp({ redirect_uris: ['https://page.example/cb'], public: true })
    const origin = 'https://page.example'
    for (const [path, method] of [
      [stores, 'GET'],
      ['/auth/v2/token', 'POST'],
    ] as const) {
      const asked = { origin, 'access-control-request-method': method }
      const answer = await fetch(server.base + path, { method: 'OPTIONS', headers: asked })
      assert.match(answer.headers.get('access-control-allow-headers') ?? '', /, x-sandbox-fault$/)
    }
    for (const [from, allowed] of [
      [origin, origin],
      ['https://other.example', undefined],
    ] as const) {
      const answer = await server.post('/auth/v2/token', {}, { origin: from, [fault]: '503' })
      assert.equal(answer.headers.get('access-control-allow-origin') ?? undefined, allowed)
    }
  })

  test('timeout: 20 requests of a network wait at a time, 200 of all, and the others are answered', async () => {
    const token = await world.token()
    const left = new AbortController()
    const waits = (address: string) => {
      const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address, [fault]: 'timeout' }
      return fetch(world.server.base + stores, { headers, signal: left.signal }).then(
        ({ status }) => status,
        () => 'held',
      )
    }
    const soon = (answers: Promise<number | string>[]) =>
      Promise.race([Promise.any(answers), new Promise(resolve => setTimeout(resolve, 20_000, 'none'))])
    const ofOne = Array.from({ length: 21 }, () => waits('192.0.2.1'))
    assert.equal(await soon(ofOne), 503, 'one too many of a network')
    const ofOthers = Array.from({ length: 181 }, (_, n) => waits(`192.0.2.${10 + Math.floor(n / 20)}`))
    assert.equal(await soon(ofOthers), 503, 'one too many in all')
    assert.equal((await get(stores)).status, 200)
    left.abort()
    const ended = await Promise.all([...ofOne, ...ofOthers])
    assert.equal(ended.filter(each => each === 'held').length, 200)
  })

  test('tillgate-client gets over every fault of a first attempt', async () => {
    for (const value of ['429', '503', 'timeout', 'cut']) {
      let attempts = 0
      const client = createClient({
        baseUrl: world.server.base,
        clientId: world.reader.client_id,
        clientSecret: world.reader.client_secret,
        timeout: 300,
        sleep: async () => {},
        fetch: (url, init) => {
          const headers = new Headers(init?.headers)
          if (String(url).includes('/integration/') && ++attempts === 1) headers.set(fault, value)
          return fetch(url, { ...init, headers })
        },
      })
      const found = await Array.fromAsync(client.stores())
      assert.deepEqual([found.length, attempts], [1, 2], value)
    }
  })
})

describe('a developer of a sandbox server', () => {
  const email = 'dev@sandbox.example'

  test('signs up, and has a store with sample data that the app may read', async () => {
    const { server } = world
    const browser = new Browser(server.base)
    const page = await browser.submit(await browser.open('/signup'), { email, password })
    assert.equal(page.status, 200, page.text)
    const form = await browser.open('/developer/apps/new')
    const scope = ['integration.store', 'integration.order', 'integration.inventory']
    const made = await browser.submit(form, { name: 'My app', scope })
    assert.equal(made.status, 201, made.text)
    const named = (what: string) =>
      new RegExp(`<dt>${what}</dt>\\s*<dd><code[^>]*>([^<]+)`).exec(made.text)?.[1] ?? ''
    const client = { client_id: named('client_id'), client_secret: named('client_secret') }
    const token = await server.token(client)
    const listed = await server.get(stores, token)
    assert.equal(listed.json.data.length, 1)
    const [store] = listed.json.data
    assert.equal(store.name, `Sandbox of ${email}`)
    assert.ok(Number.isSafeInteger(store.id))
    const changes = await server.get(`/integration/v1/changes?store_id=${store.id}&count=2000`, token)
    const kinds = Map.groupBy(changes.json.data.changes, (change: { kind: string }) => change.kind)
    assert.equal(kinds.get('order')?.length, 300)
    assert.ok((kinds.get('item')?.length ?? 0) > 20)
    assert.equal((await server.get(withQuery(orders, day), token)).status, 403, 'no store of another')
  })

  const signUp = (name: string, address: string) => {
    const browser = new Browser(world.server.base, { 'x-forwarded-for': address })
    return browser
      .open('/signup')
      .then(page => browser.submit(page, { email: `${name}@sandbox.example`, password }))
  }

  test('20 accounts can be created from a network in a UTC day', async () => {
    const { storage, clock } = world.server
    const limit = createSignUpLimit({ storage, clock, developers: 1000 })
    for (let n = 0; n < 19; n++) await limit.count('198.51.100.7')
    assert.equal((await signUp('twentieth', '198.51.100.7')).status, 200)
    const refused = await signUp('one-more', '198.51.100.7')
    assert.equal(refused.status, 429)
    assert.match(refused.text, /has created 20 accounts today/)
    const seconds = Number(refused.headers.get('retry-after'))
    assert.ok(seconds > 0 && seconds <= 86_400)
    assert.equal((await signUp('neighbour', '198.51.100.8')).status, 200)
    clock.advance(seconds)
    assert.equal((await signUp('tomorrow', '198.51.100.7')).status, 200)
    const { developers } = await storage.browse.totals()
    assert.equal(await limit.refusal('198.51.100.8'), null)
    const full = createSignUpLimit({ storage, clock, developers })
    assert.match(
      (await full.refusal('198.51.100.8'))?.text ?? '',
      new RegExp(`has reached its limit of ${developers} developers`),
    )
  })

  test('cannot sign up once the operator has closed it', async () => {
    const { server } = world
    await server.newAccount('ops@example.com', 'operator')
    const operator = new Browser(server.base)
    await operator.signIn('ops@example.com')
    await operator.submit(await operator.open('/operator/settings'), {})
    assert.equal((await new Browser(server.base).open('/signup')).status, 404)
  })
})

test('without TILLGATE_SANDBOX the header does nothing, and developers get no store', async () => {
  const plain = await startWorld([1001])
  try {
    const { server } = plain
    for (const value of ['429', '503', 'timeout', 'cut', 'x']) {
      assert.equal((await server.get(stores, await plain.token(), { [fault]: value })).status, 200)
    }
    assert.doesNotMatch((await server.get('/openapi.json')).text, /X-Sandbox-Fault"/)
    assert.equal((await new Browser(server.base).open('/signup')).status, 404)
    await server.newAccount('dev@example.com', 'developer')
    const browser = new Browser(server.base)
    await browser.signIn('dev@example.com')
    await browser.submit(await browser.open('/developer/apps/new'), { name: 'A', scope: 'integration.store' })
    assert.equal((await server.storage.browse.totals()).stores, 1)
  } finally {
    await plain.close()
  }
})

test('a server that stops closes the requests that wait for their timeout', async () => {
  const other = await startWorld([1001], { config: { sandbox: true } })
  const headers = { authorization: `Bearer ${await other.token()}`, [fault]: 'timeout' }
  const held = fetch(other.server.base + stores, { headers })
  // The next answer on another connection comes after the held request has arrived.
  await other.list(stores)
  const closed = other.close()
  await assert.rejects(held)
  await closed
})
