import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createWebhookEndpoints } from '../../src/domain/webhooks/endpoints.ts'
import { randomSecret } from '../../src/lib/ids.ts'
import { byTest } from '../helpers/by.ts'
import { type Client, codeOf, grant, redirectUri, type Tokens } from '../helpers/authorize.ts'
import { authorizePath } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import type { TestServer } from '../helpers/server.ts'

/**
 * Somebody with everything that a tenant can have: a merchant with a store, its orders and items; a developer with an
 * app; the merchant's consent to it, its tokens, a code and a request that wait. Every name and id is the tenant's own,
 * so that it is known wherever it turns up.
 */
export interface Tenant {
  /** By the names that paths, queries and forms have for them. */
  ids: Record<IdName, string>
  merchant: Browser
  developer: Browser
  client: Client
  /** Of the merchant's consent, and the app's own. */
  tokens: Tokens
  own_token: string
  /** Given out and not redeemed yet. */
  code: string
  /** The browser in which a request waits for the merchant's decision. */
  asking: Browser
  /** What tells that something of the tenant got out. */
  marks: string[]
}

/** Every kind of id that an address can carry; the matrix fails on a parameter that is not here. */
export const idNames = [
  'app_id',
  'store_id',
  'uid',
  'secret_id',
  'account_id',
  'authorization_id',
  'request_id',
  'endpoint_id',
  'delivery_id',
  'session_id',
  'token',
] as const
export type IdName = (typeof idNames)[number]

/** Ids of the same shape that nobody has. */
export const nobodys: Record<IdName, string> = {
  app_id: 'AAAAAAAAAAAAAAAAAAAAAA',
  store_id: '7799999999999',
  uid: 'AAAAAAAAAAAAAAAAAAAAA',
  secret_id: 'AAAAAAAAAAAAAAAAAAAAAB',
  account_id: 'AAAAAAAAAAAAAAAAAAAAAC',
  authorization_id: 'AAAAAAAAAAAAAAAAAAAAAD',
  request_id: 'AAAAAAAAAAAAAAAAAAAAAE',
  endpoint_id: `we_${'0'.repeat(32)}`,
  delivery_id: `msg_${'0'.repeat(32)}`,
  session_id: 'A'.repeat(16),
  token: 'A'.repeat(43),
}

/** An app that merchants of several tenants allow: what it read of one is no other's business. */
export const sharedApp = (server: TestServer) =>
  server.newApp({ name: 'Common Ledger', redirect_uris: [redirectUri] })

export async function addTenant(
  server: TestServer,
  name: string,
  store: number,
  shared: Client,
): Promise<Tenant> {
  const host = `${name}.example`
  const email = { merchant: `owner@${host}`, developer: `dev@${host}` }
  const merchantAccount = await server.newAccount(email.merchant)
  const developerAccount = await server.newAccount(email.developer, 'developer')
  const order = {
    id: `${name}-order-1`,
    store_id: store,
    order_number: `${name}-number`,
    device_name: `${name} till`,
    carts: [sampleCart({ menu_id: store + 1 })],
  }
  await server.push(
    sampleStore({ id: store, name: `${name} street`, merchant: email.merchant }),
    sampleItem({ store_id: store, id: store + 1, name: `${name} coffee`, category_name: `${name} drinks` }),
    sampleOrder(order),
  )
  const { app, client_id, client_secret } = await server.newApp({
    name: `${name} app`,
    redirect_uris: [redirectUri],
    owner_id: developerAccount.id,
    website: `https://${host}/site`,
    publisher: `${name} software`,
  })
  const client = { client_id, client_secret }
  // Two, so that one may be retired.
  await server.apps.rotateSecret(app.id, byTest)
  const [secret] = await server.storage.apps.secrets(app.id)

  const consent = { email: email.merchant, stores: [String(store)] }
  const tokens = await grant(server, client, consent)
  await grant(server, shared, consent)
  const code = await codeOf(server, client, consent)
  const authorization = await server.storage.authorizations.findLive(app.id, merchantAccount.id)
  const own_token = await server.token(client)

  const merchant = new Browser(server.base)
  await merchant.signIn(email.merchant)
  const [session] = await server.storage.sessions.ofAccount(merchantAccount.id, server.clock.now())
  const developer = new Browser(server.base)
  await developer.signIn(email.developer)
  const asking = new Browser(server.base)
  await asking.signIn(email.merchant)
  const page = await asking.follow(await asking.open(authorizePath(client)))
  const uid = /\/consent\/([\w-]+)/.exec(page.text)?.[1] ?? ''

  // Reads, one of them refused, so that there are figures and a log.
  const window = 'start_date=2026-11-01%2000:00:00&end_date=2026-11-02%2000:00:00'
  const read = `/integration/v1/orders?store_id=${store}&${window}`
  await server.get(read, own_token)
  await server.get(read, await server.token(shared))
  const refused = await server.get(`${read}&count=3000`, own_token)
  const request_id = refused.headers.get('x-request-id') ?? ''

  // Paused, so that nothing is sent from here.
  const webhooks = createWebhookEndpoints({ ...server, rules: createAddressRules('') })
  const events = ['authorization.revoked']
  const url = `https://hooks.invalid/${name}`
  const endpoint = await webhooks.create({ app_id: app.id, url, events }, byTest)
  await webhooks.setPaused(app.id, true, byTest)
  const failed = { retry_at_ms: 1, at: 1, disable: null }
  await server.storage.webhooks.report({ endpoint_id: endpoint.id, failures: 0, failed })
  const delivery_id = await webhooks.test(endpoint.id)

  const ids = {
    app_id: app.id,
    store_id: String(store),
    uid,
    secret_id: secret?.id ?? '',
    account_id: merchantAccount.id,
    authorization_id: authorization?.id ?? '',
    request_id,
    endpoint_id: endpoint.id,
    delivery_id,
    session_id: session?.hash.slice(0, 16) ?? '',
    // Of a link that was used: a working one is valid for everybody who has it.
    token: randomSecret(),
  }
  for (const [what, id] of Object.entries(ids)) if (id === '') throw new Error(`${name} has no ${what}`)
  const secrets = [endpoint.secret, client_secret, tokens.access_token, tokens.refresh_token, own_token, code]
  return {
    ids,
    merchant,
    developer,
    client,
    tokens,
    own_token,
    code,
    asking,
    marks: [...Object.values(ids), developerAccount.id, host, name, String(store + 1), ...secrets],
  }
}
