import { auditEntry, type By, byAccount } from '../../src/domain/audit/audit.ts'
import { createLogos } from '../../src/domain/brand/logos.ts'
import { demoLogo } from '../../src/demo/logos.ts'
import { type DemoRecord, demoRecords, neighbour, owner } from '../../src/demo/records.ts'
import { formatDatetime, parseDatetime } from '../../src/lib/datetime.ts'
import { sha256 } from '../../src/lib/hash.ts'
import type { App } from '../../src/storage/port/index.ts'
import { type Client, decide, redirectUri } from './authorize.ts'
import { byTest } from './by.ts'
import { type ServerOptions, startServer, type TestServer } from './server.ts'

/**
 * A server that looks as if it had been in use for a month: the demo's stores and orders, merchants, a developer, an
 * operator, and apps that merchants connected and that read. The same every time: the clock stands at 2026-11-01 12:00
 * UTC, the demo has a seed, ids and secrets of the apps are fixed, and every password is the tests' own.
 */
export interface DemoServer {
  server: TestServer
  merchant: string
  developer: string
  operator: string
  /** The app that merchants connected and that reads every day. */
  dashboard: Client
  /** One that the merchant is asked about, and has not allowed yet. */
  loyalty: Client
}

const day = 86_400
const developer = 'developer@demo.example'
const byDeveloper = (id: string): By =>
  byAccount({ id, email: developer }, { address: '192.0.2.24', request_id: null })

export async function startDemoServer(
  options: ServerOptions & { orders?: number } = {},
): Promise<DemoServer> {
  const { orders = 600, ...serverOptions } = options
  const server = await startServer(serverOptions)
  try {
    return await fill(server, orders)
  } catch (error) {
    // An open socket would keep the process alive.
    await server.close()
    throw error
  }
}

async function fill(server: TestServer, orders: number): Promise<DemoServer> {
  const { clock } = server
  const end = clock.now()
  const records = [...demoRecords({ stores: 6, orders, days: 30, seed: 1, end })]
  const isRecent = (record: DemoRecord) => changedAt(record) > end - day
  const old = records.filter(record => !isRecent(record))
  for (let from = 0; from < old.length; from += 500) await server.push(...old.slice(from, from + 500))

  clock.set(end - 31 * day)
  const operator = 'operator@demo.example'
  await server.newAccount(owner)
  await server.newAccount(neighbour)
  await server.newAccount(operator, 'operator')
  const { id: owner_id } = await server.newAccount(developer, 'developer')
  await server.storage.switches.set('sign_up', true)
  const dashboard = await addApp(server, 'dashboard', {
    name: 'Harbour Dashboard',
    publisher: 'Harbour Software',
    owner_id,
  })
  const loyalty = await addApp(server, 'loyalty', {
    name: 'Loyal Regulars',
    publisher: 'Harbour Software',
    owner_id,
  })
  const ledger = await addApp(server, 'ledger', { name: 'Ledger & Sons', publisher: null, owner_id: null })

  const delivery = await addApp(server, 'delivery', {
    name: 'Delivery Hub',
    publisher: 'Rider Networks',
    owner_id: null,
  })

  const logos = createLogos(server)
  for (const [client, name] of [
    [dashboard, 'dashboard'],
    [ledger, 'ledger'],
  ] as const) {
    await logos.upload(client.client_id, demoLogo(name), byDeveloper(owner_id))
  }

  const stores = await server.storage.stores.ofMerchant(owner)
  const ids = stores.map(({ id }) => String(id))
  await server.apps.authorize(delivery.client_id, [BigInt(ids[1] ?? 0)], byTest)
  await decide(server, dashboard, { email: owner, stores: ids.slice(0, 3) })
  await activate(server, dashboard, ids.slice(0, 2))
  clock.advance(9 * day)
  await decide(server, ledger, { email: owner, stores: ids.slice(0, 1) })
  clock.set(end - 30 * day)
  for (let left = 30; left > 0; left--) {
    clock.set(end - left * day + 3600 * 9)
    await readDay(server, dashboard, ids.slice(0, 3), left)
  }
  clock.set(end - 2 * day)
  await server.apps.rotateSecret(dashboard.client_id, byDeveloper(owner_id))
  await lastDay(server, { dashboard, ledger, store_id: ids[0] ?? '' }, records.filter(isRecent))
  clock.set(end)
  return { server, merchant: owner, developer, operator, dashboard, loyalty }
}

/** When an order last changed; stores and items were always there. */
const changedAt = (record: DemoRecord): number =>
  record.kind === 'order' ? (parseDatetime(record.updated_at ?? record.created_at) ?? 0) : 0

/** The last day as it happens: each order arrives some seconds after it changed, and the apps ask for it. */
async function lastDay(
  server: TestServer,
  { dashboard, ledger, store_id }: { dashboard: Client; ledger: Client; store_id: string },
  records: readonly DemoRecord[],
): Promise<void> {
  const sorted = [...records].sort((one, other) => changedAt(one) - changedAt(other))
  // Tokens last two days.
  server.clock.set(sorted[0] ? changedAt(sorted[0]) : server.clock.now())
  const { client_id, client_secret } = await server.newApp({ name: 'Tills', scope: 'platform.write' })
  const authorization = `Bearer ${await server.token({ client_id, client_secret })}`
  const tokens = [await server.token(dashboard), await server.token(ledger)]
  const headers = { authorization, 'content-type': 'application/x-ndjson' }
  for (const [index, record] of sorted.entries()) {
    server.clock.set(changedAt(record) + 2 + (index % 7))
    await fetch(`${server.base}/platform/v1/records`, {
      method: 'POST',
      headers,
      body: JSON.stringify(record),
    })
    const now = server.clock.now()
    const window = `start_date=${formatDatetime(now - 3600)}&end_date=${formatDatetime(now)}`
    // The ledger was given one store, and now and then asks for another.
    const store = index % 5 === 0 ? '1002' : store_id
    for (const token of tokens)
      await server.get(`/integration/v1/orders?store_id=${store}&index=0&count=50&${window}`, token)
  }
}

/** As the domain would make it, but with an id and a secret that stay the same. */
async function addApp(
  server: TestServer,
  id: string,
  face: Pick<App, 'name' | 'publisher' | 'owner_id'>,
): Promise<Client> {
  const client_id = `${id}-7Qm2xVtY`
  const client_secret = `${id}-secret-of-the-demo-server-only`
  const created_at = server.clock.now()
  const app: App = {
    ...face,
    id: client_id,
    website: 'https://app.example.com/',
    scope: 'integration.store integration.order integration.inventory',
    redirect_uris: [redirectUri],
    public: false,
    created_at,
    disabled_at: null,
    disabled_by_owner: false,
    logo: null,
  }
  const secret = {
    id: `${id}-1`,
    app_id: client_id,
    hash: sha256(client_secret),
    created_at,
    last_used_at: null,
  }
  const by = app.owner_id === null ? byTest : byDeveloper(app.owner_id)
  const about = { app_id: client_id, detail: app.name }
  await server.storage.apps.create(app, secret, auditEntry(server.clock, by, 'app_created', about))
  return { client_id, client_secret }
}

async function activate(server: TestServer, client: Client, store_ids: readonly string[]): Promise<void> {
  const headers = { authorization: `Bearer ${await server.token(client)}` }
  for (const id of store_ids) await server.post(`/integration/v1/store/${id}/activate`, {}, headers)
}

/** A day of an app that polls: yesterday's orders of each store, the items now and then, and a mistake on Mondays. */
async function readDay(
  server: TestServer,
  client: Client,
  store_ids: readonly string[],
  left: number,
): Promise<void> {
  const token = await server.token(client)
  const text = (seconds: number) => encodeURIComponent(formatDatetime(seconds))
  const now = server.clock.now()
  for (const [index, store_id] of store_ids.entries()) {
    const window = `start_date=${text(now - day + 1)}&end_date=${text(now)}`
    const orders = `/integration/v1/orders?store_id=${store_id}&index=0&count=100&${window}`
    await server.get(orders, token)
    if ((left + index) % 3 === 0) {
      await server.get(`/integration/v1/inventory/items?store_id=${store_id}&index=0&count=50`, token)
    }
    if ((left + index) % 7 === 0) await server.get(orders.replace('count=100', 'count=5000'), token)
  }
}
