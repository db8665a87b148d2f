import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import {
  authorizePath,
  challenge,
  type Client,
  codeOf,
  redeem,
  redirectUri,
  refresh,
  verifier,
} from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { send, sendBytes } from '../helpers/raw.ts'
import { password, startServer, type TestServer } from '../helpers/server.ts'
import { clientCredentials } from '../helpers/token.ts'

/** What the logs hold after everything that can happen to a secret has happened to one: none of it. */

let server: TestServer
let client: Client
/** What must never be in a log line, with a word for what it is. */
const secrets: [what: string, value: string][] = []

const keep = (what: string, value: string | null | undefined): string => {
  assert.ok(value && value.length >= 8, `${what} is too short to look for`)
  secrets.push([what, value])
  return value
}

before(async () => {
  // The most talkative level: nothing may rest on a level that somebody turns up to find a fault.
  server = await startServer({ config: { log_level: 'trace' } })
  await server.newAccount('owner@example.com')
  await server.push({
    kind: 'store',
    id: 1001,
    name: 'Harbour Street',
    timezone: 'Australia/Sydney',
    merchant: 'owner@example.com',
  })
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
  client = { client_id, client_secret }
  keep('client secret', client_secret)
  keep('password', password)
  await battery()
  await setTimeout(50)
})

after(() => server.close())

async function battery(): Promise<void> {
  // Sign-in: refused with a password that is nearly right, then right.
  const browser = new Browser(server.base)
  await browser.signIn('owner@example.com', keep('wrong password', `${password}!`))
  const home = await browser.signIn('owner@example.com')
  for (const [, token] of home.text.matchAll(/name="_csrf" value="([^"]+)"/g)) keep('CSRF token', token)
  keep('session cookie', browser.cookies.find(({ name }) => name === 'tillgate_session')?.value)

  // A whole grant, with PKCE.
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const state = keep('state', 'state-that-an-app-keeps-to-itself')
  const consent = await browser.reachConsent(authorizePath(client, { ...pkce, state }), 'owner@example.com')
  keep('CSRF token of the consent page', /name="_csrf" value="([^"]+)"/.exec(consent.text)?.[1])
  for (const { name, value } of browser.cookies) keep(`cookie ${name}`, value)
  const answer = await browser.submit(consent, { decision: 'allow', store: '1001' })
  const code = keep('code', new URL(answer.headers.get('location') ?? '').searchParams.get('code'))
  keep('verifier', verifier)
  await redeem(server, client, code, { code_verifier: 'a-wrong-verifier-of-at-least-43-characters-length' })
  const again = await codeOf(server, client, { changes: pkce })
  keep('second code', again)
  const tokens = (await redeem(server, client, again, { code_verifier: verifier })).json
  keep('access token', tokens.access_token)
  keep('signature of the access token', tokens.access_token.split('.')[2])
  keep('refresh token', tokens.refresh_token)

  // Refreshed, replayed, presented in every wrong place.
  const next = (await refresh(server, client, tokens.refresh_token)).json
  keep('next access token', next.access_token)
  keep('next refresh token', next.refresh_token)
  await refresh(server, client, tokens.refresh_token)
  await server.get('/integration/v1/stores', next.access_token)
  await server.get(`/integration/v1/stores?access_token=${next.access_token}`)
  await server.get(`/integration/v1/orders?store_id=${next.access_token}`, next.access_token)
  await server.get(`/integration/v1/${next.access_token}`)
  await server.get(`/${next.access_token}/%zz`)
  await server.get('/integration/v1/stores', `${next.access_token}x`)
  await server.get('/integration/v1/stores', undefined, { cookie: `session=${next.access_token}` })
  for (const path of ['/auth/v2/introspect', '/auth/v2/revoke']) {
    await server.post(path, { ...client, token: next.access_token })
    await server.post(path, { ...client, token: next.refresh_token })
  }
  await server.post(`/auth/v2/token?${new URLSearchParams({ ...client })}`, {
    grant_type: 'client_credentials',
  })
  await server.post('/auth/v2/token', {
    grant_type: 'client_credentials',
    ...client,
    client_secret: keep('wrong client secret', 'a-client-secret-that-was-guessed'),
  })
  await server.post(
    '/auth/v2/token',
    { grant_type: 'client_credentials' },
    {
      authorization: `Basic ${keep('Basic credentials', Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64'))}`,
    },
  )
  await server.get(`/auth/v2/authorize?code=${code}&client_secret=${client.client_secret}`)
  await server.get(`/login?password=${encodeURIComponent(password)}&next=/x`)
  await send(server.base, {
    path: `http://elsewhere.example/integration/v1/stores?access_token=${next.access_token}`,
  })
  await sendBytes(
    server.base,
    `GET /x?access_token=${next.access_token} HTTP/9.9\r\nAuthorization: Bearer ${next.access_token}\r\n\r\n`,
  )
  await sendBytes(
    server.base,
    `GET /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${next.access_token}\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
  )

  // And when the database fails in the middle of it.
  const { find } = server.storage.apps
  const { page } = server.storage.stores
  const lost = () => {
    throw new Error('the database went away')
  }
  Object.assign(server.storage.apps, { find: lost })
  Object.assign(server.storage.stores, { page: lost })
  await server.post('/auth/v2/token', clientCredentials(client))
  await server.get(authorizePath(client, { state }))
  const own = await grantless()
  Object.assign(server.storage.apps, { find })
  Object.assign(server.storage.stores, { page })
  if (own) await server.get('/integration/v1/stores', own)

  // Keys and hashes are nobody's business either.
  for (const use of ['sign', 'cookie'] as const) {
    for (const { secret } of await server.storage.keys.list(use)) {
      keep(`${use} key`, use === 'sign' ? JSON.parse(secret).d : secret)
    }
  }
  const account = await server.storage.accounts.findByEmail('owner@example.com')
  keep('password hash', account?.password_hash)
  const [stored] = await server.storage.apps.secrets(client.client_id)
  keep('secret hash', stored?.hash)
  keep('email', 'owner@example.com')

  async function grantless(): Promise<string | null> {
    const answer = await server.get('/integration/v1/stores', next.access_token)
    return answer.status === 500 ? next.access_token : null
  }
}

test('nothing secret is in any line, as it is, encoded or in part', async () => {
  assert.ok(secrets.length > 20)
  assert.ok(server.log.length > 30)
  const all = server.log.join('')
  for (const [what, value] of secrets) {
    for (const written of [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64').slice(0, -4),
    ]) {
      assert.ok(!all.includes(written), `${what} is in the log: ${lineWith(written)}`)
    }
    // Long values are not shown in part either.
    if (value.length > 40)
      assert.ok(
        !all.includes(value.slice(0, 40)),
        `the beginning of ${what}: ${lineWith(value.slice(0, 40))}`,
      )
  }
})

const lineWith = (text: string) => server.log.find(line => line.includes(text))

describe('the lines', () => {
  const parsed = () => server.events() as Record<string, unknown>[]

  test('are one JSON object each, with a level and a time', () => {
    for (const line of server.log) {
      assert.match(line, /^\{[^\n]*\}\n$/)
      const { level, time } = JSON.parse(line)
      assert.ok(Number.isInteger(level) && Number.isInteger(time))
    }
  })

  test('contain no URL, query, header or body', () => {
    for (const line of parsed()) {
      for (const field of ['url', 'req', 'res', 'headers', 'body', 'query', 'originalUrl']) {
        assert.ok(!(field in line), JSON.stringify(line))
      }
    }
  })

  test('are exactly one for each request, with its id, method, route pattern, status, time and address', async () => {
    const ids = new Map<string, number>()
    const requests = parsed().filter(({ msg }) => msg === 'request')
    for (const line of requests) {
      const { request_id, method, route, status, ms, address } = line
      assert.match(String(request_id), /^[\w-]{22}$/)
      ids.set(String(request_id), (ids.get(String(request_id)) ?? 0) + 1)
      assert.match(String(method), /^[A-Z]+$/)
      assert.ok(route === null || /^\/[\w/.:-]*$/.test(String(route)), String(route))
      assert.ok(Number.isInteger(status) && typeof ms === 'number')
      assert.equal(address, '127.0.0.1')
    }
    assert.deepEqual(
      [...ids.values()].filter(count => count !== 1),
      [],
    )
  })

  for (const path of [
    '/health/live',
    '/nothing',
    '/%zz',
    '/auth/v2/jwks',
    '/login',
    '/integration/v1/stores',
    '/auth/v2/authorize',
  ]) {
    test(`the id of the answer to ${path} is the id of its line`, async () => {
      const { headers } = await server.get(path)
      const id = headers.get('x-request-id')
      const lines = () => parsed().filter(line => line['request_id'] === id && line['msg'] === 'request')
      while (lines().length === 0) await new Promise(setImmediate)
      assert.equal(lines().length, 1, path)
    })
  }

  test('name the app when its token is valid', async () => {
    const app = await server.newApp()
    const { headers } = await server.get('/integration/v1/stores', await server.token(app))
    const line = () => parsed().find(({ request_id }) => request_id === headers.get('x-request-id'))
    while (!line()) await new Promise(setImmediate)
    assert.equal(line()?.['app_id'], app.client_id)
  })

  test('record each failed sign-in, without the email', () => {
    assert.ok(parsed().some(({ event }) => event === 'sign_in_failed'))
  })
})
