import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientCredentials } from './token.ts'

/** Tills that push batches which can be told apart afterwards, and the question whether they are all there. */

export interface Client {
  client_id: string
  client_secret: string
}

export const batchSize = 40

/** Asks until the server has its database again. */
export async function tokenOf(base: string, { client_id, client_secret }: Client): Promise<string> {
  for (;;) {
    const response = await fetch(`${base}/auth/v2/token`, {
      method: 'POST',
      body: new URLSearchParams(clientCredentials({ client_id, client_secret })),
    })
    const { access_token } = (await response.json()) as { access_token: string }
    if (response.status === 200) return access_token
    assert.equal(response.status, 503)
    await sleep(50)
  }
}

/** Pushes a batch of orders, known by their order_number, spread over two days. */
export const pushBatch = (base: string, bearer: string, name: string, store_id = 1): Promise<Response> =>
  fetch(`${base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-ndjson' },
    body: batchText(name, store_id),
  })

export const batchText = (name: string, store_id: number): string =>
  batchOf(name, store_id)
    .map(record => JSON.stringify(record))
    .join('\n')

/** Far enough apart that the sums of 1, 8 and 64 days all take part in a long window. */
const days = ['2026-11-01', '2026-11-02', '2026-12-20', '2027-03-10']

const batchOf = (name: string, store_id: number) =>
  Array.from({ length: batchSize }, (_, i) => ({
    kind: 'order',
    store_id,
    id: `${name}-${i}`,
    order_number: name,
    status: i % 5 === 0 ? 3 : 2,
    created_at: `${days[i % days.length]} ${String(i % 24).padStart(2, '0')}:00:00`,
    updated_at: '2026-11-01 09:00:00',
    carts: [
      { type: 2, menu_id: 1, count: 1 },
      { type: 2, menu_id: 2 + (i % 3), count: 0.25 },
    ],
  }))

/** Every acknowledged batch is there, each that is there is whole, and the sales agree with the orders. */
export async function checkBatches(
  base: string,
  bearer: string,
  acknowledged: ReadonlySet<string>,
  store_id = 1,
): Promise<void> {
  const read = async (path: string, query: Record<string, string>) => {
    const url = `${base}/integration/v1/${path}?${new URLSearchParams({ store_id: String(store_id), ...query })}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })
    return ((await response.json()) as { data: any[] }).data
  }
  const orders: any[] = []
  for (const day of days) {
    const window = { start_date: `${day} 00:00:00`, end_date: `${day} 23:59:59` }
    for (let index = 0, page: any[]; ; index++) {
      page = await read('orders', { ...window, index: String(index), count: '2000' })
      orders.push(...page)
      if (page.length < 2000) break
    }
  }
  const byBatch = Map.groupBy(orders, order => order.order_number as string)
  for (const name of acknowledged) assert.ok(byBatch.has(name), `the acknowledged batch ${name} is lost`)
  for (const [name, found] of byBatch) assert.equal(found.length, batchSize, `batch ${name} is half written`)
  for (const [from = '', to = ''] of [days.slice(0, 2), [days[0], days.at(-1)]]) {
    const window = { start_date: `${from} 00:00:00`, end_date: `${to} 23:59:59` }
    const within = orders.filter(({ created_at }) => created_at >= from && created_at <= window.end_date)
    assert.deepEqual(await read('inventory/sales', window), soldIn(within))
  }
}

function soldIn(orders: any[]): { item_id: number; count: number }[] {
  const sold = new Map<number, number>()
  for (const { status, carts } of orders) {
    if (status !== 2 && status !== 11) continue
    for (const { menu_id, count } of carts) sold.set(menu_id, (sold.get(menu_id) ?? 0) + count)
  }
  return [...sold].sort(([a], [b]) => a - b).map(([item_id, n]) => ({ item_id, count: Math.round(n) }))
}
