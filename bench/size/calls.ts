import type { Storage } from '../../src/storage/port/index.ts'
import { openStorage } from '../../src/storage/open.ts'
import { appId, type Shape, storeId } from './shape.ts'

const endpoint_id = 'endpoint-of-the-trial'

/** Milliseconds of calls to the storage that are made by timers or commands, where no request shows them. */
export async function timeCalls(database: string, shape: Shape): Promise<Map<string, number>> {
  const storage = await openStorage(database)
  const found = new Map<string, number>()
  const time = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    const began = performance.now()
    await call()
    found.set(name, performance.now() - began)
  }
  try {
    await time('purge', () => storage.purge(Math.floor(Date.now() / 1000)))
    await timeWebhooks(storage, shape, time)
    await timeWaiting(storage, shape, time)
  } finally {
    await storage.webhooks.remove(endpoint_id)
    await storage.close()
  }
  return found
}

type Time = (name: string, call: () => Promise<unknown>) => Promise<void>

async function timeWebhooks({ webhooks, changes }: Storage, shape: Shape, time: Time): Promise<void> {
  const history = await changes.history()
  const now_ms = Date.now()
  const health = { failures: 0, failing_since: null, retry_at_ms: 0, disabled_at: null, reason: null }
  const endpoint = {
    id: endpoint_id,
    app_id: appId(0),
    url: 'https://app.example/webhooks',
    events: ['store.changed' as const],
    secret: 'whsec_',
    previous_secret: null,
    previous_until: null,
    created_at: Math.floor(now_ms / 1000),
    ...health,
  }
  await time('webhooks: a new endpoint of the app with all stores', () => webhooks.create(endpoint, 10))
  await time('webhooks: missing positions', () => webhooks.complete(endpoint_id))
  const newest = now_ms * 1000
  for (const round of ['first', 'again'])
    await time(`webhooks: stores that moved, none (${round})`, () =>
      webhooks.due({ above: newest }, history, now_ms, 5000),
    )
  await time('webhooks: stores of the endpoint, none', () =>
    webhooks.due({ endpoint_id, after: null }, history, now_ms, 500),
  )
  await time('webhooks: stores of the endpoint, all', () =>
    webhooks.due({ endpoint_id, after: null }, 'other', now_ms, 500),
  )
  const some = Array.from({ length: 100 }, (_, i) => BigInt(storeId(i % shape.stores)))
  await time('webhooks: 100 stores', () => webhooks.due({ store_ids: some }, history, now_ms, 5000))
}

async function timeWaiting({ changes }: Storage, shape: Shape, time: Time): Promise<void> {
  const ids = Array.from({ length: Math.min(10_000, shape.stores) }, (_, i) => BigInt(storeId(i)))
  const newest = Date.now() * 1000
  await time('waiting: 10,000 stores, none moved', () => changes.moved(new Map(ids.map(id => [id, newest]))))
  const claim = { app_id: appId(0), authorization_id: null, jti: 'a token' }
  await time('waiting: access to 10,000 stores', () =>
    changes.access(ids.map(id => ({ claim, store_ids: [id] }))),
  )
}
