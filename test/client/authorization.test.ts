import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient, type TokenSet, type TokenStore } from '../../client/src/index.ts'
import { redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** The authorization_code grant through the client, with a merchant who allows or denies. */

let server: TestServer
before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore())
})
after(() => server.close())

function memory(): TokenStore & { held: TokenSet | null } {
  const store = {
    held: null as TokenSet | null,
    get: () => store.held,
    set: (tokens: TokenSet) => {
      store.held = tokens
    },
  }
  return store
}

async function newClient(options: { public?: boolean } = {}) {
  const tokenStore = memory()
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri], ...options })
  const settings = {
    baseUrl: server.base,
    clientId: client_id,
    ...(!options.public && { clientSecret: client_secret }),
    tokenStore,
    now: () => server.clock.now() * 1000,
  }
  return { client: createClient(settings), tokenStore, settings }
}

/** What the merchant's browser comes back with. */
async function decide(url: string, decision = 'allow'): Promise<URL> {
  const browser = new Browser(server.base)
  const consent = await browser.reachConsent(url.slice(server.base.length), 'owner@example.com')
  const answer = await browser.submit(consent, { decision, store: ['1001'] })
  return new URL(answer.headers.get('location') ?? '')
}

test('a merchant allows: the code is exchanged with PKCE, also by a public app, and the stores are read', async () => {
  for (const options of [{}, { public: true }]) {
    const { client, tokenStore } = await newClient(options)
    const pending = await client.authorizationUrl({ redirectUri })
    assert.match(pending.url, /code_challenge_method=S256/)
    await client.completeAuthorization(await decide(pending.url), pending)
    assert.ok(tokenStore.held?.refreshToken)
    const stores = await Array.fromAsync(client.stores())
    assert.deepEqual(
      stores.map(({ id }) => id),
      [1001],
    )
  }
})

test('state, iss and errors of the redirect are checked before the code is used', async () => {
  const { client, tokenStore } = await newClient()
  const pending = await client.authorizationUrl({ redirectUri })
  const back = await decide(pending.url)
  const changed = (name: string, value: string | null) => {
    const url = new URL(back)
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
    return url
  }
  const attempts: [URL, string][] = [
    [changed('state', 'another'), 'state_mismatch'],
    [changed('state', null), 'state_mismatch'],
    [new URL(`${back}&state=${pending.state}`), 'state_mismatch'],
    [changed('iss', 'https://attacker.example'), 'issuer_mismatch'],
    [changed('iss', null), 'issuer_mismatch'],
    [changed('code', null), 'response_invalid'],
  ]
  for (const [url, code] of attempts) {
    await assert.rejects(client.completeAuthorization(url, pending), { code }, url.href)
  }
  await assert.rejects(client.completeAuthorization(changed('state', ''), { ...pending, state: '' }), {
    code: 'state_mismatch',
  })
  assert.equal(tokenStore.held, null)
  await client.completeAuthorization(back, pending)
  const denied = await client.authorizationUrl({ redirectUri })
  await assert.rejects(client.completeAuthorization(await decide(denied.url, 'deny'), denied), {
    code: 'access_denied',
  })
})

test('a refresh whose answer was lost, or that two processes make at once, gives the same new tokens', async () => {
  const { client, tokenStore, settings } = await newClient()
  const pending = await client.authorizationUrl({ redirectUri })
  const first = await client.completeAuthorization(await decide(pending.url), pending)
  server.clock.advance(172_800)
  // The process ends before it stores the new tokens.
  const lost = { get: () => first, set: () => Promise.reject(new Error('the disk is full')) }
  await assert.rejects(createClient({ ...settings, tokenStore: lost }).token(), /disk is full/)
  const keys: unknown[] = []
  const listen = ({ headers }: { headers: Record<string, unknown> }) =>
    void keys.push(headers['idempotency-key'])
  server.app.server.on('request', listen as never)
  const [one, two] = await Promise.all([client.token(), createClient(settings).token()])
  server.app.server.off('request', listen as never)
  assert.equal(one.accessToken, two.accessToken)
  assert.notEqual(one.refreshToken, first.refreshToken)
  assert.deepEqual(tokenStore.held, one)
  assert.match(String(keys[0]), /^[\w-]{43}$/)
  assert.equal(new Set(keys).size, 1)
  assert.equal((await Array.fromAsync(client.stores())).length, 1)
})

test('a stored token is used by the next process without a request', async () => {
  const { client, settings } = await newClient()
  await client.token()
  const next = createClient(settings)
  await next.token()
  assert.deepEqual([client.requests(), next.requests()], [1, 0])
})

test('an authorization that has ended is an error that says so', async () => {
  const { client, settings } = await newClient()
  const pending = await client.authorizationUrl({ redirectUri })
  const { refreshToken = '' } = await client.completeAuthorization(await decide(pending.url), pending)
  const { clientId: client_id, clientSecret: client_secret = '' } = settings
  await server.post('/auth/v2/revoke', { client_id, client_secret, token: refreshToken })
  await assert.rejects(Array.fromAsync(client.stores()), { code: 'invalid_grant' })
})
