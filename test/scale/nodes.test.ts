import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/lib/clock.ts'
import { type Client, decide, form, redirectUri, refresh } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import type { Node } from '../helpers/nodes.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { owner, startThreeNodes, type ThreeNodes } from '../helpers/three-nodes.ts'
import { clientCredentials } from '../helpers/token.ts'

/** What happens on one node holds on the others at the next request, and what may happen once happens once. */

const rounds = 15
const stores = '/integration/v1/stores'
const itemsOf = (id: number) => `/integration/v1/inventory/items?store_id=${id}`
/** The same from each of the three. */
const alike = <T>(value: T): T[] => [value, value, value]

let three: ThreeNodes
let a: Node
let b: Node
let c: Node
before(async () => {
  three = await startThreeNodes()
  ;[a, b, c] = three.nodes
})
after(() => three.close())

/** 64 requests at once, spread over the nodes. */
const parallel = (fields: URLSearchParams) =>
  Promise.all(
    Array.from({ length: 64 }, (_, i) => (three.nodes[i % 3] as Node).post('/auth/v2/token', fields)),
  )

test('three nodes that start at once on an empty database: one schema, one signing key, the same for all', async () => {
  // All at once, for the first time: the process that needs the signing key first creates it.
  const sets = await Promise.all(three.nodes.map(async node => (await node.get('/auth/v2/jwks')).text))
  assert.equal(new Set(sets).size, 1)
  const [keys] = await administer(three.database, `select count(*) from keys where use = 'sign'`)
  const [cookies] = await administer(three.database, `select count(*) from keys where use = 'cookie'`)
  const [migrations] = await administer(
    three.database,
    'select count(*), max(number) as newest from schema_migrations',
  )
  assert.deepEqual([keys?.['count'], cookies?.['count']], ['1', '1'])
  assert.equal(migrations?.['count'], migrations?.['newest'])
})

test(`64 parallel uses of one refresh token on three nodes, ${rounds} rounds: one success each`, async () => {
  const { client, ...first } = await three.connect()
  let { refresh_token } = first
  for (let round = 0; round < rounds; round++) {
    const answers = await parallel(form({ grant_type: 'refresh_token', ...client, refresh_token }))
    const won = answers.filter(({ status }) => status === 200)
    assert.equal(won.length, 1, `round ${round}`)
    for (const { status, json } of answers.filter(answer => !won.includes(answer))) {
      assert.deepEqual([status, json.error], [400, 'invalid_grant'])
    }
    assert.deepEqual(await three.codes(stores, won[0]?.json.access_token), alike(null), 'the new pair lives')
    refresh_token = won[0]?.json.refresh_token
  }
})

test('64 parallel redemptions of one code on three nodes: one success', async () => {
  const { client_id, client_secret } = await three.newApp()
  const back = await decide(three.all, { client_id })
  const answers = await parallel(
    form({
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      redirect_uri: redirectUri,
      code: back.searchParams.get('code') ?? '',
    }),
  )
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, ...Array.from({ length: 63 }, () => 400)])
})

test('revoked by the merchant on A, by the CLI, by the app on A: the next request on any node is refused', async () => {
  const onPage = await three.connect()
  assert.deepEqual(await three.codes(stores, onPage.access_token), alike(null))
  const browser = new Browser(a.base)
  await browser.signIn(owner)
  const question = await browser.open(`/account/apps/${onPage.client.client_id}/revoke`)
  await browser.submit(question, {})
  assert.deepEqual(await three.codes(stores, onPage.access_token), alike('token_revoked'))

  const byCli = await three.connect()
  const own = await three.ownToken(byCli.client)
  assert.deepEqual(await three.codes(itemsOf(1001), own), alike(null))
  await three.tillgate('app', 'revoke', byCli.client.client_id)
  assert.deepEqual(await three.codes(stores, byCli.access_token), alike('token_revoked'))
  assert.deepEqual(await three.codes(itemsOf(1001), own), alike('store_forbidden'))

  const byApp = await three.connect()
  const another = await refresh(three.all, byApp.client, byApp.refresh_token)
  const { status } = await a.post('/auth/v2/revoke', { ...byApp.client, token: byApp.access_token })
  assert.equal(status, 200)
  assert.deepEqual(await three.codes(stores, byApp.access_token), alike('token_revoked'))
  assert.deepEqual(await three.codes(stores, another.json.access_token), alike(null), 'that token alone')
  await a.post('/auth/v2/revoke', { ...byApp.client, token: another.json.refresh_token })
  assert.deepEqual(await three.codes(stores, another.json.access_token), alike('token_revoked'))
})

test('a consent that is changed on A gives and takes stores on every node', async () => {
  const { client, access_token } = await three.connect(['1001'])
  const own = await three.ownToken(client)
  assert.deepEqual(await three.codes(itemsOf(1002), own), alike('store_forbidden'))
  await decide(three.all, client, { stores: ['1002'] })
  assert.deepEqual(await three.codes(itemsOf(1002), own), alike(null))
  assert.deepEqual(await three.codes(itemsOf(1001), own), alike('store_forbidden'))
  const names = await Promise.all(
    three.nodes.map(async node => (await node.get(stores, access_token)).json.data),
  )
  assert.deepEqual(
    names.map(([store]) => store.id),
    alike(1002),
  )
})

test('a rotated secret works on every node at once, and the one before the last on none', async () => {
  const { client_id, client_secret } = await three.newApp()
  const first = await three.tillgate<Client>('app', 'rotate-secret', client_id)
  for (const node of three.nodes) {
    await three.ownToken({ client_id, client_secret: first.client_secret }, node)
    await three.ownToken({ client_id, client_secret }, node)
  }
  await three.tillgate('app', 'rotate-secret', client_id)
  for (const node of three.nodes) {
    const fields = clientCredentials({ client_id, client_secret })
    assert.equal((await node.post('/auth/v2/token', fields)).json.error, 'invalid_client')
  }
})

test('an app that is disabled is refused by every node, its tokens too; enabled again, it is served', async () => {
  const { client, access_token } = await three.connect()
  const own = await three.ownToken(client, b)
  await three.storage.apps.setDisabled(client.client_id, systemClock.now())
  assert.deepEqual(await three.codes(stores, access_token), alike('token_revoked'))
  assert.deepEqual(await three.codes(itemsOf(1001), own), alike('token_revoked'))
  for (const node of three.nodes) {
    const { json } = await node.post('/auth/v2/token', clientCredentials(client))
    assert.equal(json.error, 'invalid_client')
  }
  await three.storage.apps.setDisabled(client.client_id, null)
  assert.deepEqual(await three.codes(itemsOf(1001), own), alike(null))
})

test('a rotated key signs on every node at once; tokens of both keys verify on all, and the JWKS lists both', async () => {
  const client = await three.newApp()
  const before = await three.ownToken(client)
  const { kid } = await three.tillgate<{ kid: string }>('keys', 'rotate')
  for (const node of three.nodes) {
    const token = await three.ownToken(client, node)
    assert.equal(kidOf(token), kid)
    assert.deepEqual(await three.codes(stores, token), alike(null))
    const { keys } = (await node.get('/auth/v2/jwks')).json
    assert.deepEqual(
      keys.map((key: { kid: string }) => key.kid),
      [kid, kidOf(before)],
    )
  }
  assert.deepEqual(await three.codes(stores, before), alike(null))
})

const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

test('a merchant who signs in on A is signed in on B; signing out on A ends it on B', async () => {
  const onA = new Browser(a.base)
  await onA.signIn(owner)
  const onB = new Browser(b.base)
  onB.cookies.push(...onA.cookies)
  assert.match((await onB.open('/account/apps')).text, /Connected apps/)
  await onA.submit(await onA.open('/account/apps'), {}) // its only form that posts is Sign out
  assert.match((await onB.open('/account/apps')).headers.get('location') ?? '', /^\/login\b/)
})

test('failed client authentications on A and B count on C', async () => {
  const { client_id } = await three.newApp()
  const wrong = { grant_type: 'client_credentials', client_id, client_secret: 'wrong' }
  // Windows begin with the minute: what is counted in one does not count in the next.
  const secondsLeft = 60 - (systemClock.now() % 60)
  if (secondsLeft < 5) await new Promise(resolve => setTimeout(resolve, secondsLeft * 1000))
  for (let i = 0; i < 5; i++) {
    assert.equal((await a.post('/auth/v2/token', wrong)).status, 401)
    assert.equal((await b.post('/auth/v2/token', wrong)).status, 401)
  }
  const { status, headers } = await c.post('/auth/v2/token', wrong)
  assert.equal(status, 429)
  assert.ok(Number(headers.get('retry-after')) > 0)
})
