import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderRecord } from '../../contract/record.ts'
import { createLiveTills } from '../../demo/live/tills.ts'
import { demoShops } from '../../demo/records.ts'
import { createRandom } from '../../demo/random.ts'
import { type Seconds, systemClock } from '../../lib/clock.ts'
import { formatDatetime } from '../../lib/datetime.ts'
import type { SavedDemo } from './saved.ts'

/** Milliseconds between two steps. */
const pauses = { least: 1500, most: 4000 }
const mostUnsent = 1000
/** Seconds between two saves of the time of the last sale. */
const savedAfter = 60

/**
 * `tillgate demo --live`: the demo's tills go on selling, over the public API like those of a platform. What a stopped or
 * busy server does not take is sent with the next step.
 */
export function startLive(
  { options, filled }: SavedDemo,
  base_url: string,
  /** Saves where the orders end, so that the next run adds none to the time in which the tills have sold. */
  saveEnd: (until: Seconds) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const request = createRequests(base_url, signal)
  // Another stream at each start: the same sales would be sent again.
  const random = createRandom(options.seed, systemClock.now())
  const tills = createLiveTills({
    shops: demoShops(options),
    random,
    clock: systemClock,
    seed: options.seed,
    past: (store_id, from, to) => pastOrders(request, filled.demo.app, store_id, from, to),
  })

  let saved = 0
  let sold = 0
  function save(): void {
    if (sold === saved) return
    saveEnd(sold)
    saved = sold
  }

  async function run(): Promise<void> {
    let unsent: OrderRecord[] = []
    while (!signal.aborted) {
      await sleep(random.between(pauses.least, pauses.most), null, { signal })
      try {
        unsent.push(...(await tills.next()).records)
        if (unsent.length === 0) continue
        const body = unsent.map(record => JSON.stringify(record)).join('\n')
        await request(filled.demo.platform, '/platform/v1/records', body)
        unsent = []
        sold = systemClock.now()
        if (sold - saved >= savedAfter) save()
      } catch (error) {
        // What the server refuses now, it would refuse again.
        unsent = error instanceof Refused ? [] : unsent.slice(-mostUnsent)
      }
    }
  }

  const running = run().catch(() => {})
  return {
    async stop() {
      stopping.abort()
      await running
      save()
    },
  }
}

interface Credentials {
  client_id: string
  client_secret: string
}

type Request = (client: Credentials, path: string, body?: string) => Promise<unknown>

class Refused extends Error {}

/** Requests with a token of the client, which is kept until it is refused. Throws on every other answer than 200. */
function createRequests(base_url: string, signal: AbortSignal): Request {
  const tokens = new Map<string, string>()

  async function tokenOf({ client_id, client_secret }: Credentials): Promise<string> {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const answer = await fetch(`${base_url}/auth/v2/token`, { method: 'POST', body, signal })
    if (!answer.ok) throw new Error(`no token: HTTP ${answer.status}`)
    const { access_token } = (await answer.json()) as { access_token: string }
    return access_token
  }

  return async (client, path, body) => {
    const token = tokens.get(client.client_id) ?? (await tokenOf(client))
    tokens.set(client.client_id, token)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
    const sent = body === undefined ? {} : { method: 'POST', body }
    const answer = await fetch(base_url + path, { ...sent, headers, signal })
    if (answer.status === 401) tokens.delete(client.client_id)
    if ([400, 413, 422].includes(answer.status)) throw new Refused(`${path}: HTTP ${answer.status}`)
    if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status}`)
    return ((await answer.json()) as { data: unknown }).data
  }
}

/** The orders of the first day of the time that has any. */
async function pastOrders(
  request: Request,
  client: Credentials,
  store_id: number,
  from: Seconds,
  to: Seconds,
): Promise<OrderRecord[]> {
  for (let start = from; start < to; start += 86_400) {
    const query = new URLSearchParams({
      store_id: String(store_id),
      start_date: formatDatetime(start),
      end_date: formatDatetime(Math.min(to, start + 86_399)),
    })
    const orders = (await request(client, `/integration/v1/orders?${query}`)) as Omit<OrderRecord, 'kind'>[]
    if (orders.length > 0) return orders.map(order => ({ kind: 'order', ...order }))
  }
  return []
}
