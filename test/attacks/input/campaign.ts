import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { codeOf, grant, redirectUri, verifier } from '../../helpers/authorize.ts'
import { Browser } from '../../helpers/browser.ts'
import { byTest } from '../../helpers/by.ts'
import { sampleStore } from '../../helpers/orders.ts'
import { routesOf } from '../../helpers/routes.ts'
import { type ServerOptions, startServer, type TestServer } from '../../helpers/server.ts'
import { addTenant, nobodys, sharedApp, type Tenant } from '../tenants.ts'
import type { Findings, Orders } from './attacker.ts'
import type { Vocabulary } from './requests.ts'

/** Requests before the clock moves on and those who signed themselves out sign in again. */
const batchSize = 2000

export interface Campaign extends Findings {
  sent: number
}

export interface CampaignOptions {
  seed: number
  most: number
  goesOn?: () => boolean
  say?: (text: string) => void
}

/**
 * A whole server with a tenant that nothing may leak from, and generated requests of everybody else: strangers, another
 * merchant and developer, another app, the platform, the operator.
 */
export async function inputCampaign(
  options: CampaignOptions,
  serverOptions: ServerOptions = {},
): Promise<Campaign> {
  // No request is rejected because the machine is slow: overload has its own tests.
  const config = { max_requests: 1000, max_wait: 60_000, ...serverOptions.config }
  const server = await startServer({ ...serverOptions, config })
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url))
  try {
    return await run(server, attacker, options)
  } finally {
    await attacker.terminate()
    await server.close()
  }
}

async function run(
  server: TestServer,
  attacker: Worker,
  { seed, most, goesOn = () => true, say = () => {} }: CampaignOptions,
): Promise<Campaign> {
  const shared = await sharedApp(server)
  const victim = await addTenant(server, 'wronged', 7_700_000_000_001, shared)
  // One that reads, and one whose sessions and apps may perish.
  const other = await addTenant(server, 'nosy', 8_800_000_000_001, shared)
  const spare = await addTenant(server, 'spare', 9_900_000_000_001, shared)
  await server.newAccount('operator@tillgate.example', 'operator')
  const openapi = (await server.get('/openapi.json')).json
  const { base } = server
  const { marks } = victim
  const campaign: Campaign = { sent: 0, statuses: {}, broken: [] }
  const before = await standing(server, victim)
  for (let batch = 0; campaign.sent < most && goesOn() && campaign.broken.length === 0; batch++) {
    const words = await vocabulary(server, openapi, other, spare, victim)
    const size = Math.min(batchSize, most - campaign.sent)
    attacker.postMessage({ base, words, seed: seed + batch, size, marks } satisfies Orders, [])
    const [{ statuses, broken }] = (await once(attacker, 'message')) as [Findings]
    for (const [status, times] of Object.entries(statuses)) {
      campaign.statuses[status] = (campaign.statuses[status] ?? 0) + times
    }
    campaign.sent += size
    campaign.broken.push(...broken)
    if (batch % 25 === 24) say(`${campaign.sent} requests`)
    // Counters of failed attempts begin anew.
    server.clock.advance(60)
  }
  if ((await server.get('/health/ready')).status !== 200) {
    campaign.broken.push('the server is not ready afterwards')
  }
  const after = await standing(server, victim)
  if (after !== before) campaign.broken.push(`the other tenant has changed: ${before} → ${after}`)
  return campaign
}

/** What requests are made of now: sessions that hold, and ids of all kinds. */
async function vocabulary(
  server: TestServer,
  openapi: Vocabulary['openapi'],
  other: Tenant,
  spare: Tenant,
  victim: Tenant,
): Promise<Vocabulary> {
  const platform = await server.newApp({ name: 'Till', scope: 'platform.write' })
  const [merchant, developer, operator] = await Promise.all([
    session(server, 'owner@spare.example'),
    session(server, 'dev@spare.example'),
    session(server, 'operator@tillgate.example'),
  ])
  const { tokens, code } = await renewed(server, spare)
  const ids = Object.fromEntries(
    Object.keys(nobodys).map(name => {
      const key = name as keyof typeof nobodys
      return [name, [spare.ids[key], spare.ids[key], other.ids[key], victim.ids[key], nobodys[key]]]
    }),
  )
  const { client } = other
  const feed = `${await server.storage.changes.history()}-oi`
  const head = (await server.storage.browse.store(BigInt(other.ids.store_id)))?.seq
  const cursors = [...(await cursorsOf(server, other)), ...(await cursorsOf(server, victim))]
  const bearers = [other.own_token, other.own_token, other.tokens.access_token, await server.token(platform)]
  const valid = bearers.map(token => `Bearer ${token}`)
  return {
    openapi,
    // The reference's script is large, and the same for everybody.
    pages: routesOf(server.app).filter(
      path => !/^\/(integration|platform|docs|auth\/v2\/(token|revoke|introspect))/.test(path),
    ),
    values: {
      ...ids,
      // The platform may write any store: not the one that is watched.
      records_store: [other.ids.store_id, spare.ids.store_id, nobodys.store_id],
      client_id: [client.client_id, spare.client.client_id, victim.client.client_id],
      client_secret: [client.client_secret, spare.client.client_secret],
      redirect_uri: [redirectUri, redirectUri, `${redirectUri}?a=b`, 'https://evil.example/'],
      scope: ['integration.store', 'integration.order integration.inventory', 'platform.write'],
      code: [code, code, victim.code],
      refresh_token: [tokens.refresh_token, tokens.refresh_token, victim.tokens.refresh_token],
      token: [tokens.access_token, tokens.refresh_token, victim.tokens.refresh_token, code],
      code_verifier: [verifier],
      state: ['state'],
      count: ['1', '100', '2000'],
      // A wait that is short: the campaign sends thousands of requests, a few at a time.
      wait: ['0', '0', '1', '31'],
      after: ['0', '1', String(head), '9007199254740991'],
      feed: [feed, feed, feed.replace(/-.*/, '-o'), `${feed}oi`, `${'0'.repeat(32)}-oi`],
      kinds: ['order', 'item', 'order,item', 'item,order', 'order,order', 'sale'],
      cursor: cursors,
      decision: ['allow', 'deny', 'find'],
      store: [spare.ids.store_id, victim.ids.store_id],
      email: ['owner@spare.example', 'owner@wronged.example'],
      app: [spare.ids.app_id, victim.ids.app_id],
      period: ['7', '30', '90'],
    },
    authorizations: [
      ...valid,
      ...valid,
      `Bearer ${other.own_token.slice(0, -3)}abc`,
      `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
      'Basic Og==',
      'Bearer x',
    ],
    sessions: [merchant, developer],
    operator,
  }
}

/** Of each list the cursor behind its first entry: every tenant has one store, item and order. */
async function cursorsOf(server: TestServer, { ids, own_token }: Tenant): Promise<string[]> {
  const window = 'start_date=2026-11-01+00:00:00&end_date=2026-11-02+00:00:00'
  const lists = [
    'stores?',
    'changes/heads?',
    `inventory/items?store_id=${ids.store_id}`,
    `orders?store_id=${ids.store_id}&${window}`,
  ]
  const answers = await Promise.all(
    lists.map(list => server.get(`/integration/v1/${list}&count=1`, own_token)),
  )
  // The platform may have taken the store away.
  return answers.flatMap(({ headers }) => /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1] ?? [])
}

/** What was changed, revoked, used up or switched off in the batch before, anew. */
async function renewed(
  server: TestServer,
  { ids, client }: Tenant,
): Promise<Pick<Tenant, 'tokens' | 'code'>> {
  await server.apps.setDisabledByOwner(ids.app_id, false, byTest)
  await server.apps.change(ids.app_id, { name: 'spare app', redirect_uris: [redirectUri] }, byTest)
  // The one that is known may have been retired.
  client.client_secret = await server.apps.rotateSecret(ids.app_id, byTest)
  // The platform may have taken it away.
  await server.push(sampleStore({ id: Number(ids.store_id), merchant: 'owner@spare.example' }))
  const consent = { email: 'owner@spare.example', stores: [ids.store_id] }
  const tokens = await grant(server, client, consent)
  return { tokens, code: await codeOf(server, client, consent) }
}

async function session(server: TestServer, email: string): Promise<Vocabulary['sessions'][number]> {
  const browser = new Browser(server.base)
  const page = await browser.signIn(email)
  const [, csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(page.text) ?? []
  return { cookie: browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; '), csrf }
}

/** All that somebody could have changed of a tenant. */
async function standing(server: TestServer, { ids, tokens, own_token }: Tenant): Promise<string> {
  const { apps, authorizations, accounts } = server.storage
  const reads = await Promise.all([
    server.get('/integration/v1/stores', tokens.access_token),
    server.get(`/integration/v1/inventory/items?store_id=${ids.store_id}`, own_token),
  ])
  const facts = [
    await apps.find(ids.app_id),
    (await apps.secrets(ids.app_id)).map(({ id }) => id),
    await authorizations.find(ids.authorization_id),
    (await accounts.find(ids.account_id))?.disabled_at,
    reads.map(({ status, json }) => [status, json.data]),
  ]
  return JSON.stringify(facts)
}
