import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { onPostgres } from '../helpers/engine.ts'
import { routesOf } from '../helpers/routes.ts'
import { type Answer, answerOf, startServer, type TestServer } from '../helpers/server.ts'
import { type Audience, filled, matrix, type Role } from './matrix.ts'
import { holds } from './marks.ts'
import { addTenant, type IdName, idNames, nobodys, sharedApp, type Tenant } from './tenants.ts'

/**
 * Every endpoint and page, asked by everybody else for everything that a tenant has: nothing of the tenant is in any
 * answer, and nothing of the tenant changes. OWASP API Top 10 2023: API1 (objects), API3 (properties), API5 (functions).
 */

/** Everybody but the tenant and the operator. */
interface Attacker {
  name: string
  role: Role | 'app' | 'platform' | null
  /** Brings its cookies; a bearer token where it has one. */
  browser: Browser
  token?: string
}

let server: TestServer
let victim: Tenant
let other: Tenant
let operator: Browser
let shared_id: string
let attackers: Attacker[]
let endpoints: string[]

before(async () => {
  server = await startServer()
  const shared = await sharedApp(server)
  shared_id = shared.client_id
  const platform = await server.newApp({ name: 'Till', scope: 'platform.write' })
  victim = await addTenant(server, 'wronged', 7_700_000_000_001, shared)
  other = await addTenant(server, 'nosy', 8_800_000_000_001, shared)
  await server.newAccount('operator@tillgate.example', 'operator')
  operator = new Browser(server.base)
  await operator.signIn('operator@tillgate.example')
  const nobody = () => new Browser(server.base)
  attackers = [
    { name: 'a stranger', role: null, browser: nobody() },
    { name: 'another merchant', role: 'merchant', browser: other.merchant },
    { name: 'another developer', role: 'developer', browser: other.developer },
    { name: 'another app with its own token', role: 'app', browser: nobody(), token: other.own_token },
    {
      name: 'another app with a merchant’s token',
      role: 'app',
      browser: nobody(),
      token: other.tokens.access_token,
    },
    { name: 'the platform', role: 'platform', browser: nobody(), token: await server.token(platform) },
  ]
  endpoints = []
  for (const url of routesOf(server.app)) {
    // What the server itself says that a path takes; HEAD answers as GET does.
    const { headers } = await answerOf(
      await fetch(server.base + filled(url, nobodys), { method: 'OPTIONS', redirect: 'manual' }),
    )
    const methods = (headers.get('allow') ?? '').split(', ').filter(method => method !== 'HEAD')
    endpoints.push(...methods.map(method => `${method} ${url}`))
  }
})

after(() => server.close())

/** Each way to take some of the path's ids from one tenant and the rest from another. */
function mixtures(url: string, one: Record<IdName, string>, two: Record<IdName, string>): string[] {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name as IdName)
  return Array.from({ length: 2 ** names.length }, (_, bits) => {
    const picked = names.map((name, i) => [name, (bits >> i) & 1 ? two[name] : one[name]])
    return filled(url, { ...one, ...Object.fromEntries(picked) })
  })
}

const window = { start_date: '2026-10-31 12:00:00', end_date: '2026-11-02 00:00:00' }

/** Queries that name the tenant's things by every word that pages and endpoints have for them. */
function queries({ ids, client }: Tenant, attacker: Attacker): Record<string, string>[] {
  const { app_id, store_id, account_id, request_id } = ids
  return [
    { ...window, store_id, date_field: 'created_at' },
    {
      store: store_id,
      stores: store_id,
      app_id,
      app: app_id,
      client_id: client.client_id,
      account_id,
      account: account_id,
      merchant: 'owner@wronged.example',
      owner_id: account_id,
      request_id,
      id: request_id,
      uid: ids.uid,
      authorization_id: ids.authorization_id,
      action: '',
      response_type: 'code',
      scope: 'integration.store',
      redirect_uri: redirectUri,
      period: '30d',
    },
    { search: 'wronged', q: 'wronged', text: app_id, filter: store_id, page: '0', before: '', after: '' },
    { id: 'wronged-order-1', q: 'wronged-number', day: '2026-11-01', from: '2026-10-30', to: '2026-11-02' },
    { before: `1893456000000_${request_id}`, after: `${store_id}_${app_id}`, cursor: request_id },
    // Of the app that both merchants allow, or of the own: what is the tenant's stays out of it.
    { app: attacker.role === 'developer' ? other.ids.app_id : shared_id, ...window },
    {},
  ]
}

/** Forms that name the tenant's things, with whatever proves the sender. */
function forms(tenant: Tenant, path: string): Record<string, string>[] {
  const { ids, tokens, code } = tenant
  const naming = {
    decision: 'allow',
    store: ids.store_id,
    stores: ids.store_id,
    // The own app keeps its scopes, which a later test reads by.
    scope: path.endsWith('/edit')
      ? 'integration.store integration.order integration.inventory'
      : 'integration.store',
    app_id: ids.app_id,
    app: ids.app_id,
    account_id: ids.account_id,
    owner_id: ids.account_id,
    after: ids.secret_id,
    secret_id: ids.secret_id,
    uid: ids.uid,
    name: 'Taken over',
    public: '',
    redirect_uris: 'https://evil.example/cb',
    website: 'https://evil.example/',
    publisher: 'Evil',
    email: 'owner@wronged.example',
    password: 'not their password',
    sign_up: 'on',
    accent: '#000000',
    support: 'https://evil.example/',
    remove: 'yes',
    apps: 'yes',
  }
  if (!path.startsWith('/auth/')) return [naming]
  const mine = other.client
  return [
    naming,
    { ...mine, grant_type: 'authorization_code', code, redirect_uri: redirectUri },
    { ...mine, grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
    { ...mine, grant_type: 'client_credentials', client_id: tenant.client.client_id },
    ...[tokens.access_token, tokens.refresh_token, code, tenant.own_token].map(token => ({
      ...mine,
      token,
    })),
  ]
}

/** Every request that an attacker makes of an endpoint, as what was sent and what came back. */
async function attack(
  endpoint: string,
  attacker: Attacker,
): Promise<{ sent: string; path: string; answer: Answer }[]> {
  const [method = '', url = ''] = endpoint.split(' ')
  const made: { sent: string; path: string; answer: Answer }[] = []
  const headers: Record<string, string> = attacker.token ? { authorization: `Bearer ${attacker.token}` } : {}
  for (const path of new Set(mixtures(url, other.ids, victim.ids))) {
    if (method === 'GET') {
      for (const query of asked(endpoint, attacker)) {
        const sent = `${path}?${new URLSearchParams(query)}`
        made.push({ sent, path, answer: await attacker.browser.open(sent, { headers }) })
      }
      continue
    }
    // The platform may write whatever it likes: that is what it is for.
    if (attacker.role === 'platform' && url === '/platform/v1/records') continue
    for (const form of forms(victim, path)) {
      const body = new URLSearchParams({ _csrf: await csrfOf(attacker), ...form })
      const answer = await attacker.browser.open(path, { method, headers, body })
      made.push({ sent: `${path} ${body}`, path, answer })
    }
    if (url.startsWith('/platform') || url.startsWith('/integration')) {
      const body = `{"kind":"store","id":${victim.ids.store_id},"name":"Taken","timezone":"UTC"}\n`
      const answer = await attacker.browser.open(path, {
        method,
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        body,
      })
      made.push({ sent: `${path} ${body}`, path, answer })
    }
  }
  return made
}

function asked(endpoint: string, attacker: Attacker): Record<string, string>[] {
  // What is the same for all is large, and reads no query.
  if (matrix[endpoint] === 'all') return [{ search: victim.ids.app_id }]
  const all = queries(victim, attacker)
  // A page that is closed to the attacker reads none either: one query names everything.
  return isClosed(endpoint, attacker) ? [Object.assign({}, ...all)] : all
}

const isClosed = (endpoint: string, { role }: Attacker): boolean =>
  ['merchant', 'developer', 'operator'].includes(matrix[endpoint] ?? '') && role !== matrix[endpoint]

/** By the cookies that they belong to. */
const tokens = new Map<string, string>()

/**
 * A token of the attacker's own session: a foreign thing must be safe from those who can send forms. Those who are not
 * signed in use theirs again; some forms of the others accept a token only once.
 */
async function csrfOf({ role, browser }: Attacker): Promise<string> {
  const cookies = () => browser.cookies.map(({ name, value }) => `${name}=${value}`).join()
  const known = role === 'merchant' || role === 'developer' ? undefined : tokens.get(cookies())
  if (known !== undefined) return known
  const page = await browser.follow(await browser.open('/login'))
  const token = /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  tokens.set(cookies(), token)
  return token
}

/** What of the tenant is in an answer that was not in the question. */
function leaks(sent: string, { headers, text }: Answer): string[] {
  const answer = `${[...headers].map(pair => pair.join(': ')).join('\n')}\n${text}`
  // The tenant's name is in each of its texts; ids that were sent come back in messages.
  const asked = decodeURIComponent(sent.replaceAll('+', ' '))
  return victim.marks.filter(mark => holds(answer, mark) && !asked.includes(mark))
}

/** All that somebody could have changed, as the tenant and the database have it. */
async function stateOf({ ids, client, tokens, own_token, merchant, developer, asking }: Tenant) {
  const { storage } = server
  const secrets = await storage.apps.secrets(ids.app_id)
  const query = new URLSearchParams({ ...window, store_id: ids.store_id })
  const pages = await Promise.all([
    merchant.open('/account/apps'),
    developer.open('/developer/apps'),
    asking.open(`/consent/${ids.uid}`),
    server.get('/integration/v1/stores', tokens.access_token),
    server.get(`/integration/v1/orders?${query}`, own_token),
    server.get(`/integration/v1/inventory/items?${query}`, own_token),
  ])
  return {
    app: await storage.apps.find(ids.app_id),
    secrets: secrets.map(({ id, hash }) => ({ id, hash })),
    authorization: await storage.authorizations.find(ids.authorization_id),
    stores: (await storage.authorizations.storeIds(ids.authorization_id)).map(String),
    account: await storage.accounts.find(ids.account_id),
    authorizes: await storage.authorizations.findLive(ids.app_id, ids.account_id),
    verifies: (await server.apps.verifySecret(client.client_id, client.client_secret)) === true,
    // Figures on pages go on; what they are about does not.
    pages: pages.map(page => [page.status, page.text[0] === '{' ? withoutChance(page.text) : '']),
    webhooks: await storage.webhooks.ofApp(ids.app_id),
    deliveries: await storage.webhooks.deliveries(ids.endpoint_id, 10),
    paused: await storage.webhooks.isPaused(ids.app_id),
    switched: await storage.switches.isOn('sign_up'),
    brand: await storage.brand.find(),
  }
}

/** What differs between two answers that say the same. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/name="_csrf" value="[^"]*"/g, '')
    .replaceAll(/"timestamp":\d+/g, '')
    .replaceAll(/Quote [\w-]{22}/g, '')

test('the matrix has every endpoint of the server, and no other', () => {
  assert.deepEqual(
    endpoints.filter(endpoint => !Object.hasOwn(matrix, endpoint)),
    [],
    'say in the matrix whom each new endpoint is for',
  )
  assert.deepEqual(
    Object.keys(matrix).filter(endpoint => !endpoints.includes(endpoint)),
    [],
    'these are gone',
  )
})

describe('nothing of another tenant is read or changed by', () => {
  /** After the endpoint before: nothing else happens in between. */
  let state: Awaited<ReturnType<typeof stateOf>>
  before(async () => {
    state = await stateOf(victim)
  })
  for (const [endpoint, audience] of Object.entries(matrix)) {
    const skip = onPostgres && ['all', 'operator'].includes(audience) && 'the engine plays no part'
    test(endpoint, { skip }, async () => {
      let answers = 0
      for (const attacker of attackers) {
        // Whom a page is for is decided before the database is asked.
        if (onPostgres && isClosed(endpoint, attacker)) continue
        for (const { sent, path, answer } of await attack(endpoint, attacker)) {
          answers++
          const what = `${attacker.name}: ${sent} → ${answer.status} ${answer.headers.get('location') ?? ''}`
          assert.deepEqual(leaks(sent, answer), [], what)
          assert.ok(answer.status < 500, what)
          judge(endpoint, audience, attacker, path, answer, what)
        }
        if (endpoint === 'POST /logout') await comeBack(attacker)
      }
      assert.ok(answers > 0)
      const before = state
      state = await stateOf(victim)
      assert.deepEqual(state, before)
    })
  }
})

/** Signing out worked, for oneself. */
async function comeBack({ role, browser }: Attacker): Promise<void> {
  if (role === 'merchant') await browser.signIn('owner@nosy.example')
  if (role === 'developer') await browser.signIn('dev@nosy.example')
}

/** Pages of a role are closed to others; what is another's looks as what is nobody's. */
function judge(
  endpoint: string,
  audience: Audience,
  attacker: Attacker,
  path: string,
  answer: Answer,
  what: string,
): void {
  if (isClosed(endpoint, attacker)) {
    assert.ok([303, 403, 404].includes(answer.status), what)
    if (answer.status === 303) assert.match(answer.headers.get('location') ?? '', /^\/login/, what)
  }
  if (audience === 'platform') assert.ok([401, 403].includes(answer.status), what)
  const foreign = idNames.some(name => endpoint.includes(`:${name}`) && path.includes(victim.ids[name]))
  if (foreign && audience !== 'operator') {
    assert.ok(answer.status >= 400 || answer.headers.get('location')?.startsWith('/login'), what)
  }
}

describe('another tenant’s object gets the same answer as one that does not exist', () => {
  const pages = Object.entries(matrix).filter(
    ([endpoint, audience]) => /^GET .*:/.test(endpoint) && !['operator', 'app'].includes(audience),
  )
  for (const [endpoint, audience] of pages) {
    test(endpoint, async () => {
      const [, url = ''] = endpoint.split(' ')
      for (const { role, browser } of attackers) {
        if (role !== audience && audience !== 'browser') continue
        const theirs = await browser.open(filled(url, victim.ids))
        const nobody = await browser.open(filled(url, nobodys))
        const plain = ({ status, text }: Answer, ids: Record<IdName, string>) => [
          status,
          idNames.reduce((rest, name) => rest.replaceAll(ids[name], name), withoutChance(text)),
        ]
        assert.deepEqual(plain(theirs, victim.ids), plain(nobody, nobodys))
      }
    })
  }

  test('except stores at the API, which are 403 when they exist: spec 7 distinguishes the two', async () => {
    for (const [id, status] of [
      [victim.ids.store_id, 403],
      [nobodys.store_id, 404],
    ] as const) {
      const query = new URLSearchParams({ ...window, store_id: id })
      const answer = await server.get(`/integration/v1/orders?${query}`, other.own_token)
      assert.equal(answer.status, status)
      assert.deepEqual(leaks(String(query), answer), [])
    }
  })
})

describe('the tenant is let in, and seen by these tests', () => {
  const pages = Object.entries(matrix).filter(
    ([endpoint, audience]) =>
      endpoint.startsWith('GET ') && ['merchant', 'developer', 'operator', 'app'].includes(audience),
  )
  for (const [endpoint, audience] of pages) {
    test(endpoint, async () => {
      const path = filled(endpoint.split(' ')[1] ?? '', victim.ids)
      const days = { start_day: '2026-11-01', end_day: '2026-11-02' }
      // A list of stores is asked for without one, because an id that was sent is no leak.
      const ofStore = audience === 'app' && !/(heads|stores)$/.test(path)
      const query = ofStore
        ? `?${new URLSearchParams({ ...window, ...days, store_id: victim.ids.store_id })}`
        : ''
      const answer =
        audience === 'app'
          ? await server.get(path + query, victim.own_token)
          : await { merchant: victim.merchant, developer: victim.developer, operator }[audience as Role].open(
              // Its id is no mark here, because it is sent.
              path.endsWith('/order') ? `${path}?id=wronged-order-1` : path,
            )
      assert.ok(answer.status < 400, `${answer.status} ${answer.text}`)
      // A receipt has digests and sums alone.
      if (path.includes('/new') || path.includes('/settings') || path.endsWith('/receipts')) return
      if (answer.status === 200)
        assert.notDeepEqual(leaks(path + query, answer), [], 'nothing of the tenant is here')
    })
  }
})

test('after all of it the tenant’s code, refresh token and waiting request still work', async () => {
  const redeemed = await redeem(server, victim.client, victim.code)
  assert.equal(redeemed.status, 200, redeemed.text)
  const refreshed = await refresh(server, victim.client, victim.tokens.refresh_token)
  assert.equal(refreshed.status, 200, refreshed.text)
  const page = await victim.asking.open(`/consent/${victim.ids.uid}`)
  const answer = await victim.asking.submit(page, { decision: 'allow', store: victim.ids.store_id })
  assert.match(answer.headers.get('location') ?? '', /[?&]code=/)
})
