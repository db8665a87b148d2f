import {
  type AccessClaim,
  type Attempt,
  type AuditEntry,
  type DeliveryState,
  everSpan,
  type Storage,
  type UsageBatch,
} from '../../../src/storage/port/index.ts'
import { account, app, item, order, store, write } from '../suite/fixtures.ts'
import { endpoint as endpointOf } from '../suite/webhooks/fixtures.ts'

/** How many shards a statement of a call needs, as docs/scaling.md says it. */
export type Reach = 'one' | 'one for each store' | 'one for each artifact' | 'all'

type Call = (storage: Storage) => Promise<unknown>

export const stores = [1n, 2n, 3n] as const
const [one, two, three] = stores
const merchant = 'ada@example.com'
const claim: AccessClaim = { app_id: 'app', authorization_id: 'grant', jti: 'token' }
const own: AccessClaim = { ...claim, authorization_id: null }
const orders = { store_id: one, field: 'created_at', from: 0, to: 5000 } as const
const items = { store_id: one, updated_after: null }
const changes = { store_id: one, after: 0, kinds: ['order', 'item'] } as const
const span = { width: 3600, from: 0, to: 3600 }
const page = { text: '', offset: 0, limit: 10 }
const secret = (id: string, created_at = 1) => ({
  id,
  app_id: 'app',
  hash: id,
  created_at,
  last_used_at: null,
})
const key = (id: string, created_at: number) =>
  ({ id, use: 'sign', secret: id, created_at, retired_at: null }) as const
const grant = (id: string) => ({ id, app_id: 'app', account_id: 'ada', scope: 'integration.store', merchant })

const endpoint = (id: string) => endpointOf(id, { app_id: 'app' })
const logo = { type: 'image/png', version: 'v', content: Buffer.from('x') } as const
const lease = { id: 'lease', now_ms: 1, until_ms: 2 }
const delivery = {
  endpoint_id: 'we_1',
  id: 'msg_1',
  type: 'store.changed',
  store_id: one,
  body: '{}',
  created_at_ms: 1,
} as const
const attempt = (state: DeliveryState): Attempt => ({
  ...delivery,
  lease: 'lease',
  position: { history: 'h', seq: 1 },
  state,
  attempted_at_ms: 1,
  duration_ms: 1,
  status: 200,
  problem: null,
  answer: null,
})

let entries = 0
const audit = (): AuditEntry => ({
  id: `entry${entries++}`,
  at: 1,
  action: 'app_changed',
  actor_kind: 'command',
  actor_id: null,
  actor_name: null,
  account_id: null,
  app_id: null,
  store_ids: [],
  detail: null,
  address: null,
  request_id: null,
})

const counts = { requests: 1, orders: 1, items: 1, sales: 1, last_at: 1 }
const batch: UsageBatch = {
  reads: [one, two].flatMap(store_id =>
    [0, 3600, 86_400].map(width => ({ store_id, app_id: 'app', width, bucket: 0, ...counts })),
  ),
  requests: ['app', 'other'].map(app_id => ({
    app_id,
    endpoint: 'GET /',
    width: 3600,
    bucket: 0,
    requests: 1,
    client_errors: 0,
    server_errors: 0,
    latencies: Array.from({ length: 21 }, () => 0),
  })),
  ingest: [],
  log: ['app', 'other'].map(app_id => ({
    app_id,
    at_ms: 1,
    request_id: 'request',
    method: 'GET',
    endpoint: 'GET /',
    status: 200,
    error_code: null,
    milliseconds: 1,
    store_id: null,
    query: null,
    problem: null,
  })),
}

/** What the calls below expect. */
export async function fill(storage: Storage): Promise<void> {
  await storage.accounts.create(account('ada', { email: merchant }))
  await storage.apps.create(app('app'), secret('first'))
  await write(storage, { stores: stores.map(id => store(id, { merchant })), orders: [order(one, 'known')] })
  await storage.authorizations.save(grant('grant'), [one], 'add', 1)
  await storage.webhooks.create(endpoint('we_1'), 10)
  await storage.artifacts.put('RefreshToken', 'old', '{}', 9)
  await storage.usage.add(batch)
}

const record =
  (id: bigint): Call =>
  storage =>
    storage.records.write(
      {
        store_ids: [id],
        items: [{ store_id: id, id: 1n }],
        orders: [
          { store_id: id, id: 'o' },
          { store_id: id, id: 'known' },
        ],
      },
      () => ({
        stores: [store(id, { merchant })],
        items: [item(id, 1n)],
        orders: [
          { row: order(id, 'o'), was_created_at: null },
          ...(id === one ? [{ row: order(id, 'known', { created_at: 2000 }), was_created_at: 1000 }] : []),
        ],
        rollups: [{ store_id: id, width: 86_400, bucket: 0, item_id: 1n, lines: -1n, units: 1n, nanos: 0n }],
        audit: [audit()],
      }),
    )

/** Every method of the port's nouns, with each form of its statements, in an order in which all of them work. */
export const calls: Record<string, [Reach, ...Call[]]> = {
  'accounts.create': ['one', s => s.accounts.create(account('bob'), audit())],
  'accounts.find': ['one', s => s.accounts.find('ada')],
  'accounts.findByEmail': ['one', s => s.accounts.findByEmail(merchant)],
  'accounts.merchantsAmong': ['one', s => s.accounts.merchantsAmong([merchant])],
  'sessions.create': [
    'one',
    s =>
      s.sessions.create(
        { hash: 'h', account_id: 'ada', password_hash: 'hash', created_at: 1, expires_at: 9 },
        audit(),
      ),
  ],
  'sessions.findAccount': ['one', s => s.sessions.findAccount('h', 2)],
  'sessions.end': ['one', s => s.sessions.end('h', audit())],
  'sessions.ofAccount': ['all', s => s.sessions.ofAccount('ada', 2)],
  'sessions.endOthers': ['all', s => s.sessions.endOthers('ada', 'h', audit())],
  'twoFactors.set': [
    'one',
    s => s.twoFactors.set('ada', { secret: 'S', step: 1, recovery_hashes: ['r'], created_at: 1 }, audit()),
  ],
  'twoFactors.find': ['one', s => s.twoFactors.find('ada')],
  'twoFactors.useStep': ['one', s => s.twoFactors.useStep('ada', 2)],
  'twoFactors.useRecoveryCode': ['one', s => s.twoFactors.useRecoveryCode('ada', 'r')],
  'twoFactors.remove': ['one', s => s.twoFactors.remove('ada', audit())],
  'apps.create': ['one', s => s.apps.create(app('new'), { ...secret('s'), app_id: 'new' }, audit())],
  'apps.find': ['one', s => s.apps.find('app')],
  'apps.list': ['one', s => s.apps.list()],
  'apps.ofOwner': ['one', s => s.apps.ofOwner('ada')],
  'apps.redirectingTo': ['one', s => s.apps.redirectingTo('https://app.example.com')],
  'apps.update': ['all', s => s.apps.update(app('app'), ['integration.order'], audit())],
  'apps.secrets': ['one', s => s.apps.secrets('app')],
  'apps.addSecret': ['one', s => s.apps.addSecret(secret('second', 2), 2, audit())],
  'apps.touchSecret': ['one', s => s.apps.touchSecret('app', 'first', 60)],
  'apps.removeSecret': ['one', s => s.apps.removeSecret('app', 'second', audit())],
  'apps.setDisabled': ['one', s => s.apps.setDisabled('new', 1, audit())],
  'apps.setDisabledByOwner': ['one', s => s.apps.setDisabledByOwner('new', null, audit())],
  'clients.facts': ['one', s => s.clients.facts('app')],
  'keys.addFirst': ['one', s => s.keys.addFirst(key('k1', 1))],
  'keys.list': ['one', s => s.keys.list('sign')],
  'keys.rotate': ['one', s => s.keys.rotate([key('k2', 2)], 0, audit())],
  'switches.set': ['one', s => s.switches.set('sign_up', true, audit())],
  'switches.isOn': ['one', s => s.switches.isOn('sign_up')],
  'brand.save': ['one', s => s.brand.save({ name: 'x', accent: null, support: null }, audit())],
  'brand.find': ['one', s => s.brand.find()],
  'logos.set': ['one', s => s.logos.set('app', logo, audit())],
  'logos.find': ['one', s => s.logos.find('app')],
  'throttles.hit': ['one', s => s.throttles.hit('k', 1, 60)],
  'throttles.count': ['one', s => s.throttles.count('k', 1)],
  'throttles.clear': ['one', s => s.throttles.clear('k')],
  'artifacts.put': ['one', s => s.artifacts.put('Interaction', 'i', '{}', 9)],
  'artifacts.find': ['one', s => s.artifacts.find('Interaction', 'i')],
  'artifacts.remove': ['one', s => s.artifacts.remove('Interaction', 'i')],
  'artifacts.consume': [
    'one for each artifact',
    s => s.artifacts.consume('RefreshToken', 'old', 1, ['RefreshToken', 'new', '{}', 9]),
    s =>
      s.artifacts.consume(
        'RefreshToken',
        'new',
        1,
        ['RefreshToken', 'newest', '{}', 9],
        ['Record', 'r', '{}', 9],
      ),
  ],
  'revokedTokens.add': ['one', s => s.revokedTokens.add('other', 9)],
  'revokedTokens.endFamily': [
    'one',
    s => s.revokedTokens.endFamily({ id: 'family', generation: 1 }, 9, audit()),
  ],
  'revokedTokens.has': ['one', s => s.revokedTokens.has('other')],
  'stores.access': ['one', s => s.stores.access(claim, one), s => s.stores.access(claim, null)],
  'stores.exists': ['one', s => s.stores.exists(one)],
  'stores.activate': ['one', s => s.stores.activate(one, 'app', 1)],
  'stores.page': [
    'all',
    s => s.stores.page({ claim, offset: 0, limit: 10 }),
    s => s.stores.page({ claim: own, offset: 0, limit: 10 }),
  ],
  'stores.more': ['all', s => s.stores.more({ claim, after: [0n], limit: 10 })],
  'stores.ofMerchant': ['all', s => s.stores.ofMerchant(merchant)],
  'orders.page': [
    'one',
    s => s.orders.page({ claim, query: orders, offset: 0, limit: 10 }),
    s => s.orders.page({ claim, query: orders, offset: 1, limit: 1, count: 3 }),
  ],
  'orders.find': ['one', s => s.orders.find({ claim, store_id: one, id: 'known' })],
  'orders.more': ['one', s => s.orders.more({ claim, query: orders, after: [1, 'a'], limit: 10 })],
  'items.page': ['one', s => s.items.page({ claim, query: items, offset: 0, limit: 10 })],
  'items.more': ['one', s => s.items.more({ claim, query: items, after: [1n], limit: 10 })],
  'sales.sum': [
    'one',
    s =>
      s.sales.sum({
        claim,
        query: {
          store_id: one,
          spans: [{ width: 86_400, first: 0, last: 0 }],
          edges: [{ from: 0, to: 9 }],
        },
      }),
  ],
  'changes.page': ['one', s => s.changes.page({ claim, query: changes, limit: 10, count: 10 })],
  'changes.more': ['one', s => s.changes.more({ claim, query: changes, after: [1, 9, 10], limit: 10 })],
  'changes.receipts': [
    'one',
    s => s.changes.receipts({ claim, query: { store_id: one, first_day: 0, last_day: 9 } }),
  ],
  'changes.heads': [
    'all',
    s => s.changes.heads({ claim, scopes: ['integration.order'], offset: 0, after: null, limit: 10 }),
  ],
  'changes.access': ['one for each store', s => s.changes.access([{ claim, store_ids: [one, two] }])],
  'changes.state': ['one', s => s.changes.state()],
  'changes.moved': ['one for each store', s => s.changes.moved(new Map([[one, 0]]))],
  'changes.history': ['one', s => s.changes.history()],
  'changes.renewHistory': ['one', s => s.changes.renewHistory()],
  'records.write': ['one', record(one), record(77n)],
  'webhooks.create': ['all', s => s.webhooks.create(endpoint('we_2'), 10, audit())],
  'webhooks.find': ['one', s => s.webhooks.find('we_1')],
  'webhooks.ofApp': ['one', s => s.webhooks.ofApp('app')],
  'webhooks.active': ['one', s => s.webhooks.active()],
  'webhooks.rotateSecret': ['one', s => s.webhooks.rotateSecret('we_1', 'new', 9, audit())],
  'webhooks.setDisabled': [
    'one',
    s => s.webhooks.setDisabled('we_2', { at: 1, reason: 'by_hand' }, audit()),
    s => s.webhooks.setDisabled('we_2', null, audit()),
  ],
  'webhooks.remove': ['all', s => s.webhooks.remove('we_2', audit())],
  'webhooks.isPaused': ['one', s => s.webhooks.isPaused('app')],
  'webhooks.setPaused': ['one', s => s.webhooks.setPaused('app', false, audit())],
  'webhooks.sender': ['one', s => s.webhooks.sender()],
  'webhooks.stop': ['one', s => s.webhooks.stop(audit())],
  'webhooks.resume': ['one', s => s.webhooks.resume(audit())],
  'webhooks.setWatermark': ['one', s => s.webhooks.setWatermark(1)],
  'webhooks.complete': ['all', s => s.webhooks.complete('we_1')],
  'webhooks.due': [
    'all',
    s => s.webhooks.due({ store_ids: [one] }, 'h', 1, 10),
    s => s.webhooks.due({ above: 1 }, 'h', 1, 10),
    s => s.webhooks.due({ endpoint_id: 'we_1', after: null }, 'h', 1, 10),
  ],
  'webhooks.lease': [
    'one',
    s =>
      s.webhooks.lease(
        [one, two].map(store_id => ({ endpoint_id: 'we_1', store_id })),
        'h',
        lease,
      ),
  ],
  'webhooks.leasePending': ['one', s => s.webhooks.leasePending(['we_1'], lease, 10)],
  'webhooks.settle': [
    'one for each store',
    s => s.webhooks.settle([attempt('delivered'), attempt('failed')]),
  ],
  'webhooks.report': [
    'one',
    s =>
      s.webhooks.report({
        endpoint_id: 'we_1',
        failures: 0,
        failed: { retry_at_ms: 1, at: 1, disable: null },
      }),
    s => s.webhooks.report({ endpoint_id: 'we_1', failures: 1, failed: null }),
  ],
  'webhooks.add': ['one', s => s.webhooks.add({ ...delivery, id: 'msg_2' })],
  'webhooks.resend': ['all', s => s.webhooks.resend('msg_1')],
  'webhooks.delivery': ['all', s => s.webhooks.delivery('msg_1')],
  'webhooks.deliveries': ['one', s => s.webhooks.deliveries('we_1', 10)],
  'webhooks.wasCalled': ['one', s => s.webhooks.wasCalled('we_1')],
  'webhooks.trim': ['one', s => s.webhooks.trim(['we_1', 'we_3'], 10)],
  'webhooks.summary': ['all', s => s.webhooks.summary()],
  'webhooks.oldestPending': ['all', s => s.webhooks.oldestPending()],
  'authorizations.find': ['one', s => s.authorizations.find('grant')],
  'authorizations.findLive': ['one', s => s.authorizations.findLive('app', 'ada')],
  'authorizations.storeIds': ['all', s => s.authorizations.storeIds('grant')],
  'authorizations.ofAccount': ['all', s => s.authorizations.ofAccount('ada')],
  'authorizations.linksTo': ['one for each store', s => s.authorizations.linksTo([one, two])],
  'authorizations.save': [
    'all',
    s => s.authorizations.save(grant('x'), [one, two], 'replace', 1, audit()),
    s => s.authorizations.save(grant('x'), [three], 'change', 1),
  ],
  'authorizations.revokeApp': [
    'all',
    s => s.authorizations.revokeApp('app', [one], 2, audit()),
    s => s.authorizations.revokeApp('app', null, 2, audit()),
  ],
  'authorizations.revoke': [
    'all',
    async s => {
      await s.authorizations.save(grant('last'), [one], 'add', 2)
      await s.authorizations.revoke('last', 3, audit())
    },
  ],
  'decisions.allow': [
    'all',
    s => s.decisions.allow({ hash: 'allowed', expires_at: 9 }, grant('y'), [one], 1, audit()),
  ],
  'decisions.deny': ['one', s => s.decisions.deny({ hash: 'denied', expires_at: 9 }, grant('z'), audit())],
  'decisions.find': ['one', s => s.decisions.find('allowed', 1)],
  'audit.append': ['one', s => s.audit.append(audit())],
  'audit.list': ['one', s => s.audit.list({ limit: 10, scan_limit: 100, account_id: 'ada', search: 'x' })],
  'usage.parts': ['one', s => s.usage.parts(batch)],
  'usage.add': [
    'one',
    async s => {
      for (const part of await s.usage.parts(batch)) await s.usage.add(part)
    },
  ],
  'usage.reads': [
    'one for each store',
    s => s.usage.reads({ ...span, store_ids: [one, two], app_id: null, by: ['store_id'] }),
    s => s.usage.reads({ ...everSpan, store_ids: [one, two], app_id: null, by: ['app_id'], together: true }),
  ],
  'usage.activity': [
    'one for each store',
    s => s.usage.activity({ ...span, store_ids: [one, two], app_id: 'app', after: null, limit: 9 }),
  ],
  'usage.requests': ['one', s => s.usage.requests({ ...span, app_id: 'app', by: 'endpoint' })],
  'usage.busiestApps': ['all', s => s.usage.busiestApps(span, 10)],
  'usage.ingest': ['one', s => s.usage.ingest(span)],
  'usage.log': [
    'one',
    s => s.usage.log({ app_id: 'app', errors_only: false, endpoint: null, before: null, limit: 9 }),
  ],
  'usage.logged': ['one', s => s.usage.logged('app', 'request')],
  'usage.trimLog': ['one', s => s.usage.trimLog('app', 1)],
  'browse.accounts': ['one', s => s.browse.accounts(page)],
  'browse.apps': ['one', s => s.browse.apps(page)],
  'browse.stores': ['all', s => s.browse.stores({ ...page, app_id: null })],
  'browse.storesFrom': ['all', s => s.browse.storesFrom(0n, page)],
  'browse.store': ['one', s => s.browse.store(one)],
  'browse.readersOf': ['one', s => s.browse.readersOf(one)],
  'browse.newestSeq': ['all', s => s.browse.newestSeq()],
  'browse.reachOf': ['all', s => s.browse.reachOf('app')],
  'browse.totals': ['all', s => s.browse.totals()],
  'accounts.setPassword': [
    'all',
    s => s.accounts.setPassword('ada', { password_hash: 'new', replaces: 'hash' }, audit()),
  ],
  'accounts.setDisabled': [
    'all',
    s => s.authorizations.save(grant('last'), [one], 'add', 1),
    s => s.accounts.setDisabled('ada', 2, 2, audit(), audit),
  ],
}
