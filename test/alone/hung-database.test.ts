import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { inOneOfThree } from '../helpers/attempts.ts'
import { authorizePath, type Client, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { ordersOf, type Seen, timed } from '../helpers/load.ts'
import { sampleStore } from '../helpers/orders.ts'
import { migratedDatabase } from '../helpers/postgres.ts'
import { startWire, type Wire } from '../helpers/replicated.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { pushBatch } from '../helpers/tills.ts'
import { clientCredentials } from '../helpers/token.ts'

/** A database that hangs: its connections stay open and new ones are accepted, but nothing is answered. */

/** Two seconds, and most of another one because other tests keep the machine busy. */
const bound = 2900

let database: string
let wire: Wire
let server: TestServer
let client: Client
let bearer: { reader: string; tills: string }
let signedIn: Browser
let consent: string

before(async () => {
  database = await migratedDatabase()
  wire = await startWire(database)
  server = await startServer({ database: wire.url, threads: 1 })
  await server.newAccount('owner@example.com')
  await server.push(sampleStore({ id: 1, merchant: 'owner@example.com' }))
  client = await server.newApp({ redirect_uris: [redirectUri] })
  await server.apps.authorize(client.client_id, [1n], byTest)
  const tills = await server.newApp({ scope: 'platform.write' })
  bearer = { reader: await server.token(client), tills: await server.token(tills) }
  signedIn = new Browser(server.base)
  const page = await signedIn.reachConsent(authorizePath(client), 'owner@example.com')
  consent = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
})

after(async () => {
  wire.silent = false
  await server.close()
  wire.close()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.base + path, { redirect: 'manual', headers })
const list = (path: string) => get(path, { authorization: `Bearer ${bearer.reader}` })
const window = 'start_date=2026-11-01+00:00:00&end_date=2026-11-01+23:59:59'
const cookies = () => signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
const post = (path: string, fields: Record<string, string>) =>
  fetch(server.base + path, { method: 'POST', body: new URLSearchParams(fields) })

const requests: Record<string, () => Promise<Response>> = {
  authorize: () => get(authorizePath(client)),
  'the way back from the consent page': () => get('/auth/v2/authorize/x'),
  'a consent page': () => get(consent, { cookie: cookies() }),
  'a sign-in page': () => get('/login', { cookie: cookies() }),
  'an account page': () => get('/account/apps', { cookie: cookies() }),
  stores: () => list('/integration/v1/stores'),
  orders: () => list(ordersOf(1)),
  'a large page': () => list(`${ordersOf(1)}00`),
  items: () => list('/integration/v1/inventory/items?store_id=1'),
  sales: () => list(`/integration/v1/inventory/sales?store_id=1&${window}`),
  token: () => post('/auth/v2/token', clientCredentials(client)),
  introspect: () => post('/auth/v2/introspect', { ...client, token: bearer.reader }),
  revoke: () => post('/auth/v2/revoke', { ...client, token: 'x' }),
  push: () => pushBatch(server.base, bearer.tills, 'hung'),
  readiness: () => get('/health/ready'),
}

const askAll = (times = 1): Promise<Seen[]> =>
  Promise.all(
    Array.from({ length: times }, () =>
      Object.entries(requests).map(([name, ask]) => timed(name, ask)),
    ).flat(),
  )

function assertUnavailable(seen: Seen[], limit: number): void {
  assert.deepEqual(
    seen.filter(({ status, ms, retry }) => status !== 503 || ms > limit || !(Number(retry) > 0)),
    [],
  )
}

/** Resolves when the database answers, and every request gets its answer. */
async function recover(): Promise<void> {
  wire.silent = false
  while ((await get('/health/ready')).status !== 200) await sleep(20)
  await inOneOfThree(async () => {
    assert.deepEqual(
      (await askAll()).filter(({ status }) => status >= 500),
      [],
    )
  })
}

/** Each attempt begins with a database that answers. */
const whileSilent = (work: () => Promise<void>): Promise<void> =>
  inOneOfThree(async () => {
    await recover()
    wire.silent = true
    await work()
  }).finally(recover)

describe('every request gets its 503 within two seconds', () => {
  test('with connections open; later ones at once', t =>
    whileSilent(async () => {
      const first = await askAll()
      assertUnavailable(first, bound)
      const later = await askAll()
      assertUnavailable(later, 1000)
      t.diagnostic(`first ${longest(first)} ms, later ${longest(later)} ms`)
    }))

  test('with no connection open', t =>
    whileSilent(async () => {
      wire.cut()
      const first = await askAll()
      assertUnavailable(first, bound)
      t.diagnostic(`${longest(first)} ms`)
    }))

  test('many more than there are connections', t =>
    whileSilent(async () => {
      const seen = await askAll(10)
      assertUnavailable(seen, bound)
      t.diagnostic(`${seen.length} requests, ${longest(seen)} ms`)
    }))
})

test('people get a page, also the only one who asks', () =>
  whileSilent(async () => {
    const began = performance.now()
    for (const name of ['authorize', 'a consent page', 'a sign-in page']) {
      const response = (await requests[name]?.()) as Response
      assert.equal(response.status, 503)
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(await response.text(), /The service is not available right now/)
    }
    assert.ok(performance.now() - began < bound)
  }))

test('a statement that takes longer than two seconds is not taken for a hung database', () =>
  inOneOfThree(async () => {
    const sql = postgres(database, { max: 1, onnotice: () => {} })
    await sql.unsafe('begin; select 1 from stores where id = 1 for update')
    const waiting = pushBatch(server.base, bearer.tills, 'slow')
    await sleep(2500)
    await sql.unsafe('commit')
    assert.equal((await waiting).status, 200)
    await sql.end()
  }))

const longest = (seen: Seen[]): number => Math.round(Math.max(...seen.map(({ ms }) => ms)))
