import type { Storage, WebhookDelivery, WebhookEndpoint } from '../../../../src/storage/port/index.ts'
import { account, app, order, store, write } from '../fixtures.ts'

export const merchant = 'ada@example.com'
export const stores = [1n, 2n, 3n]
export const scope = 'integration.store integration.order integration.inventory'

export const endpoint = (id: string, over: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id,
  app_id: 'a',
  url: 'https://a.example/hook',
  events: ['store.changed', 'authorization.granted', 'authorization.changed', 'authorization.revoked'],
  secret: 'whsec_c2VjcmV0',
  previous_secret: null,
  previous_until: null,
  created_at: 10,
  disabled_at: null,
  reason: null,
  failures: 0,
  failing_since: null,
  retry_at_ms: 0,
  ...over,
})

/** An app, a merchant and three stores of the merchant. */
export async function prepare(storage: Storage): Promise<void> {
  await storage.apps.create(app('a', { scope }), null)
  await storage.accounts.create(account('ada'))
  await write(storage, { stores: stores.map(id => store(id, { merchant })) })
}

export const allow = (
  { authorizations }: Storage,
  store_ids: readonly bigint[],
  mode: 'replace' | 'add' | 'change' = 'replace',
  id = 'grant',
) => authorizations.save({ id, app_id: 'a', account_id: 'ada', scope, merchant }, store_ids, mode, 50)

/** Another order of the store, so that its seq moves. */
let orders = 0
export const move = (storage: Storage, store_id: bigint): Promise<void> =>
  write(storage, { orders: [order(store_id, `w${orders++}`)] })

/** Type, revision and stores of the events of an endpoint, oldest first. */
export async function eventsOf({ webhooks }: Storage, endpoint_id: string): Promise<unknown[]> {
  const deliveries = await webhooks.deliveries(endpoint_id, 100)
  return deliveries
    .map((delivery: WebhookDelivery) => JSON.parse(delivery.body) as { type: string; data: Data })
    .map(({ type, data }) => [type, data.revision, data.store_ids] as const)
    .sort(([, a], [, b]) => a - b)
}

interface Data {
  revision: number
  store_ids: number[]
}
