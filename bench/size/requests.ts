import type { Data } from '../data.ts'
import { usual } from '../data.ts'
import { datetime, orderRequests, type Served, tokenFor } from '../load/client.ts'
import type { Request } from '../load/load.ts'
import { compare } from '../report/compare.ts'
import { withTags } from '../rows/not-modified.ts'
import { benchOrders } from './make.ts'
import { push } from '../rows/ingest.ts'
import { median } from '../row.ts'
import { appId, benchStores, secretOf, tillsApp } from './shape.ts'

/** A server over one of the two sets. */
export interface Side extends Served {
  /** The newest order of the benchmark's stores. */
  end: number
}

export interface Compared {
  name: string
  /** Requests a second. */
  small: number
  large: number
  /** The time of the large set divided by that of the small one; and the same for the CPU time of the server. */
  ratio: number
  cpu_ratio: number | null
}

/** Requests about the same stores in both sets, which should cost the same. */
export async function* compareRequests(small: Side, large: Side, seconds: number): AsyncGenerator<Compared> {
  const ofSmall = await requestsOf(small)
  const ofLarge = await requestsOf(large)
  for (const [name, requests] of Object.entries(ofLarge)) {
    const { ours, limit, ratio, cpu_ratio } = await compare(
      { base: large.base, pids: large.pids, requests },
      { base: small.base, pids: small.pids, requests: ofSmall[name] ?? [] },
      { seconds, rounds: 3 },
    )
    yield {
      name,
      small: limit.rate,
      large: ours.rate,
      ratio: 1 / ratio,
      cpu_ratio: cpu_ratio === null ? null : 1 / cpu_ratio,
    }
  }
}

async function requestsOf({ base, end }: Side): Promise<Record<string, Request[]>> {
  const client = { client_id: appId(0), client_secret: secretOf(0) }
  const headers = { authorization: `Bearer ${await tokenFor(base, client)}` }
  const data = { ...usual(benchOrders), store_ids: benchStores, end } as Data
  const pages = orderRequests(data, 100, headers)
  const get = (path: string): Request[] =>
    benchStores.map(store_id => ({
      path: encodeURI(`/integration/v1/${path.replace('STORE', String(store_id))}`),
      headers,
    }))
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...client,
    scope: 'integration.order',
  })
  return {
    'page of 100 orders': pages,
    'page of 100 orders, 304': await withTags(base, pages.slice(0, 500)),
    'changes, nothing new': await newestChanges(base, headers),
    'page of 100 items': get('inventory/items?store_id=STORE&count=100'),
    'sales of a day': get(
      `inventory/sales?store_id=STORE&start_date=${datetime(end - 129_600)}&end_date=${datetime(end - 43_200)}`,
    ),
    'page of 100 stores': get('stores?count=100'),
    'heads of 100 stores': get('changes/heads?count=100'),
    token: [
      {
        method: 'POST',
        path: '/auth/v2/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      },
    ],
  }
}

/** A poll of each store from the end of its sequence. */
async function newestChanges(base: string, headers: Record<string, string>): Promise<Request[]> {
  const response = await fetch(`${base}/integration/v1/changes/heads?count=10`, { headers })
  const { data } = (await response.json()) as { data: { store_id: number; seq: number }[] }
  const first = await fetch(`${base}/integration/v1/changes?store_id=1001&count=1`, { headers })
  const { feed } = ((await first.json()) as { data: { feed: string } }).data
  return data.map(({ store_id, seq }) => {
    const query = new URLSearchParams({ store_id: String(store_id), after: String(seq), feed })
    return { path: `/integration/v1/changes?${query}`, headers }
  })
}

/** Batches of 100 new orders of one store each, one after the other. */
export async function timeIngest({ base }: Side, rounds: number): Promise<number> {
  const token = await tokenFor(base, { client_id: tillsApp, client_secret: secretOf(-1) })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const store_id = benchStores[round % benchStores.length]
    const began = performance.now()
    await push(base, token, batch(store_id as number, round))
    times.push(performance.now() - began)
  }
  return median(times)
}

function batch(store_id: number, round: number): string {
  const now = Math.floor(Date.now() / 1000)
  const orders = Array.from({ length: 100 }, (_, i) => ({
    kind: 'order',
    id: `trial-${now}-${round}-${i}`,
    status: 2,
    created_at: datetime(now - 100 + i),
    store_id,
    subtotal: 300,
    carts: [{ type: 2, menu_id: 9_000_000, name: 'Dish', price: 300, count: 1 }],
    taxes: [],
    payments: [{ type: 1, amount: 300 }],
    promotions: [],
  }))
  return orders.map(order => JSON.stringify(order)).join('\n')
}
