import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { nearestAddresses } from '../../src/http/edge/forwarded-for.ts'
import { send } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header } from '../helpers/surfaces.ts'

/** Guessing a client's secret is slowed down for the guesser, and for nobody else. */

let server: TestServer

before(async () => {
  // So that a test can speak from several addresses.
  server = await startServer({ config: { trust_proxy: '127.0.0.1' } })
})

// A new window for each test.
afterEach(() => server.clock.advance(120))

after(() => server.close())

interface Try {
  client_id: string
  client_secret: string
  from?: string
  path?: string | undefined
  asBasic?: string
}

async function attempt({
  client_id,
  client_secret,
  from = '192.0.2.1',
  path = '/auth/v2/token',
  asBasic,
}: Try) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    token: 'x',
    ...(asBasic === undefined && { client_id, client_secret }),
  })
  return send(server.base, {
    method: 'POST',
    path,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': from,
      ...(asBasic !== undefined && { authorization: `Basic ${Buffer.from(asBasic).toString('base64')}` }),
    },
    body: form.toString(),
  })
}

async function fail10(options: Try): Promise<void> {
  for (let i = 0; i < 10; i++) assert.equal((await attempt(options)).status, 401, `failure ${i + 1}`)
}

const newClient = async () => {
  const { client_id, client_secret } = await server.newApp()
  return { client_id, client_secret }
}

describe('10 failed client authentications a minute for one client from one address', () => {
  test('the 11th is 429 with Retry-After', async () => {
    const client = await newClient()
    await fail10({ ...client, client_secret: 'wrong' })
    const answer = await attempt({ ...client, client_secret: 'wrong' })
    assertError('oauth', answer, 429, 'temporarily_unavailable')
    const seconds = Number(header(answer, 'retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60)
  })

  test('the client itself is never locked out, not even from the address that guesses', async () => {
    const client = await newClient()
    await fail10({ ...client, client_secret: 'wrong' })
    assert.equal((await attempt(client)).status, 200)
  })

  test('another address has its own count', async () => {
    const client = { ...(await newClient()), client_secret: 'wrong' }
    await fail10(client)
    assert.equal((await attempt({ ...client, from: '192.0.2.2' })).status, 401)
  })

  test('all addresses of one IPv6 network have one count', async () => {
    const client = { ...(await newClient()), client_secret: 'wrong' }
    for (let i = 0; i < 10; i++) await attempt({ ...client, from: `2001:db8::${i}:1` })
    assert.equal((await attempt({ ...client, from: '2001:db8::ffff' })).status, 429)
    assert.equal((await attempt({ ...client, from: '2001:db8:0:1::ffff' })).status, 401)
  })

  test('another client at the same address is not affected', async () => {
    const [client, neighbour] = [await newClient(), await newClient()]
    await fail10({ ...client, client_secret: 'wrong' })
    assert.equal((await attempt(neighbour)).status, 200)
  })

  test('after the time that Retry-After tells, the count begins anew', async () => {
    const client = { ...(await newClient()), client_secret: 'wrong' }
    await fail10(client)
    const answer = await attempt(client)
    server.clock.advance(Number(header(answer, 'retry-after')))
    assert.equal((await attempt(client)).status, 401)
  })

  test('it counts across token, introspection and revocation endpoint', async () => {
    const client = await newClient()
    const paths = ['/auth/v2/token', '/auth/v2/introspect', '/auth/v2/revoke']
    for (let i = 0; i < 10; i++) {
      assert.equal((await attempt({ ...client, client_secret: 'wrong', path: paths[i % 3] })).status, 401)
    }
    for (const path of paths) {
      assert.equal((await attempt({ ...client, client_secret: 'wrong', path })).status, 429, path)
    }
  })

  test('nine failures and a success are no reason to wait', async () => {
    const client = await newClient()
    for (let i = 0; i < 9; i++) await attempt({ ...client, client_secret: 'wrong' })
    assert.equal((await attempt(client)).status, 200)
  })

  test('an id that is written in another way in the Basic header counts for the same client', async () => {
    const client = await newClient()
    for (let i = 0; i < 10; i++) {
      const hex = client.client_id.charCodeAt(i).toString(16)
      const id = `${client.client_id.slice(0, i)}%${hex}${client.client_id.slice(i + 1)}`
      assert.equal((await attempt({ ...client, asBasic: `${id}:wrong` })).status, 401)
    }
    assert.equal((await attempt({ ...client, asBasic: `${client.client_id}:wrong` })).status, 429)
  })
})

test('100 failures a minute from one address, whatever the names, and further failures have to wait', async () => {
  for (let i = 0; i < 100; i++) {
    const answer = await attempt({ client_id: `guess-${i}`, client_secret: 'wrong', from: '192.0.2.3' })
    assert.equal(answer.status, 401, `failure ${i + 1}`)
  }
  const client = await newClient()
  const wrong = { ...client, client_secret: 'wrong' }
  assert.equal((await attempt({ ...wrong, from: '192.0.2.3' })).status, 429)
  assert.equal((await attempt({ ...client, from: '192.0.2.3' })).status, 200)
  assert.equal((await attempt({ ...wrong, from: '192.0.2.4' })).status, 401)
})

test('a trusted proxy that adds ports, or says nothing of use, does not make a new address each time', async () => {
  for (const from of [
    (i: number) => `192.0.2.9:${40_000 + i}`,
    (i: number) => `[2001:db8::9]:${40_000 + i}`,
    (i: number) => `192.0.2.${i}, unknown`,
    (i: number) => `"<b>${i}`,
  ]) {
    const { client_id } = await newClient()
    const statuses: number[] = []
    for (let i = 0; i < 11; i++)
      statuses.push((await attempt({ client_id, client_secret: 'wrong', from: from(i) })).status)
    assert.deepEqual(statuses, [...Array(10).fill(401), 429], from(0))
  }
})

test('of X-Forwarded-For count the addresses that stand nearest, without their ports', () => {
  for (const [given, read] of [
    ['192.0.2.1', '192.0.2.1'],
    ['198.51.100.1,192.0.2.1:80', '198.51.100.1, 192.0.2.1'],
    ['[2001:db8::1]:443, 2001:db8::2, [::1]', '2001:db8::1, 2001:db8::2, ::1'],
    ['192.0.2.1, unknown, 192.0.2.2', '192.0.2.2'],
    ['192.0.2.1, 999.0.2.2', ''],
    ['192.0.2.1, 192.0.2.2:port', ''],
    ['unknown', ''],
    ['', ''],
  ] as const) {
    assert.equal(nearestAddresses(given), read, given)
  }
})

test('X-Forwarded-For of a proxy that nobody trusts does not make a new address', async t => {
  const plain = await startServer()
  t.after(() => plain.close())
  const { client_id } = await plain.newApp()
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) {
    const form = { grant_type: 'client_credentials', client_id, client_secret: 'wrong' }
    const headers = {
      'x-forwarded-for': `192.0.2.${i}`,
      'x-real-ip': `192.0.2.${i}`,
      forwarded: `for=192.0.2.${i}`,
    }
    statuses.push((await plain.post('/auth/v2/token', form, headers)).status)
  }
  assert.deepEqual(statuses, [...Array(10).fill(401), 429])
})
