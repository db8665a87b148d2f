import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createPendingConsents, maxPending } from '../../src/domain/apps/pending-consents.ts'
import { sha256 } from '../../src/lib/hash.ts'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { authorizePath, redirectUri } from '../helpers/authorize.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** Every request for consent is kept until it is answered, and a client id is public: an address begins so many. */

let server: TestServer
let path: string

before(async () => {
  server = await startServer({ config: { trust_proxy: '127.0.0.1' } })
  path = authorizePath(await server.newApp({ redirect_uris: [redirectUri] }))
})

// A new window for each test.
afterEach(() => server.clock.advance(300 - (server.clock.now() % 300)))

after(() => server.close())

const ask = (from: string, address = path) => server.get(address, undefined, { 'x-forwarded-for': from })

/** As if the address had begun so many. */
async function begin(address: string, count: number): Promise<void> {
  const pending = createPendingConsents(server)
  for (let i = 0; i < count; i++) await pending.began(address)
}

test('the 1001st request for consent of an address within 5 minutes is a 429 page with Retry-After', async () => {
  assert.equal(maxPending, 1000)
  await begin('192.0.2.1', maxPending - 1)
  assert.equal((await ask('192.0.2.1')).status, 303)
  server.clock.advance(40)
  const { status, headers, text } = await ask('192.0.2.1')
  assert.deepEqual([status, headers.get('retry-after'), headers.get('location')], [429, '260', null])
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  assert.deepEqual(headers.getSetCookie(), [])
  assert.match(text, /Too many requests came from your network/)
  assert.equal((await ask('192.0.2.2')).status, 303, 'another address')
  server.clock.advance(260)
  assert.equal((await ask('192.0.2.1')).status, 303, 'the next window')
})

test('all addresses of one IPv6 network have one count', async () => {
  await begin('2001:db8::1', maxPending)
  assert.equal((await ask('2001:db8::ffff')).status, 429)
  assert.equal((await ask('2001:db8:0:1::1')).status, 303)
})

test('this machine has no limit: it may be a proxy, with everybody behind it', async () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    await begin(address, maxPending)
    assert.equal((await ask(address)).status, 303)
  }
})

test('only what is kept counts: a request that is refused costs its address nothing', async () => {
  await begin('192.0.2.3', maxPending - 1)
  for (const bad of [`${path}&response_type=token`, path.replace('client_id=', 'client_id=x')]) {
    assert.notEqual((await ask('192.0.2.3', bad)).status, 429)
  }
  assert.equal((await ask('192.0.2.3')).status, 303)
  assert.equal((await ask('192.0.2.3')).status, 429)
})

test('the way back from the consent page is never shut', async () => {
  await begin('192.0.2.4', maxPending)
  assert.equal((await ask('192.0.2.4', '/auth/v2/authorize/unknown')).status, 400)
})

test('a database that cannot answer is reported on a page', async t => {
  const fails = async () => {
    throw new StorageUnavailable('away')
  }
  t.mock.method(server.storage.throttles, 'count', fails)
  t.mock.method(server.storage.throttles, 'hit', fails)
  assert.equal((await ask('192.0.2.6')).status, 303, 'one that cannot be counted does no harm')
  t.mock.method(server.storage.apps, 'find', fails)
  const { status, headers } = await ask('192.0.2.6')
  assert.equal(status, 503)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
})

test('what nobody answered is gone two hours later', async () => {
  const answer = await ask('192.0.2.5')
  const [, uid = ''] = /^\/consent\/(.+)$/.exec(answer.headers.get('location') ?? '') ?? []
  const hash = sha256(uid)
  const { storage, clock } = server
  assert.ok(await storage.artifacts.find('Interaction', hash))
  await storage.purge(clock.now() + 7199)
  assert.ok(await storage.artifacts.find('Interaction', hash))
  await storage.purge(clock.now() + 7200)
  assert.equal(await storage.artifacts.find('Interaction', hash), null)
})
