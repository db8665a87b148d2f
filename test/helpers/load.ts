import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, pushBatch } from './tills.ts'
import { clientCredentials } from './token.ts'

/** A server at work, and every answer that it gave. */

export const ordersOf = (store_id: number) =>
  `/integration/v1/orders?store_id=${store_id}&start_date=2026-11-01+00:00:00&end_date=2026-11-01+23:59:59&count=10`

export interface Seen {
  what: string
  status: number
  retry: string | null
  ms: number
}

export async function timed(what: string, ask: () => Promise<Response>): Promise<Seen> {
  const began = performance.now()
  const response = await ask()
  await response.arrayBuffer()
  return {
    what,
    status: response.status,
    retry: response.headers.get('retry-after'),
    ms: performance.now() - began,
  }
}

interface WorkOptions {
  bearer: { tills: string; reader: string }
  /** The app that asks for tokens. */
  reader: Client
  /** Names the batches. */
  run: string
  /** Milliseconds that each client waits after an answer. Without a pause the clients take all the CPU. */
  pause?: number
}

/** Batches, pages and tokens, over and over until stopped; every answer is kept. */
export function work({ base }: { base: string }, { bearer, reader, run, pause = 0 }: WorkOptions) {
  const seen: Seen[] = []
  const acknowledged = new Set<string>()
  const stopped = new AbortController()
  const { client_id, client_secret } = reader
  const keepAsking = async (
    what: string,
    ask: (n: number) => Promise<Response>,
    done: (n: number) => void = () => {},
  ) => {
    for (let n = 0; !stopped.signal.aborted; n++) {
      const answer = await timed(what, () => ask(n))
      seen.push(answer)
      if (answer.status === 200) done(n)
      const wait = answer.status === 200 ? pause : Math.max(pause, 10)
      if (wait > 0) await sleep(wait)
    }
  }
  const get = (path: string) => fetch(base + path, { headers: { authorization: `Bearer ${bearer.reader}` } })
  const all = Promise.all([
    ...[1, 2, 3].map(till =>
      keepAsking(
        'push',
        n => pushBatch(base, bearer.tills, `${run}.${till}.${n}`),
        n => acknowledged.add(`${run}.${till}.${n}`),
      ),
    ),
    keepAsking('orders', () => get(ordersOf(1))),
    keepAsking('items', () => get('/integration/v1/inventory/items?store_id=1')),
    keepAsking('token', () =>
      fetch(`${base}/auth/v2/token`, {
        method: 'POST',
        body: new URLSearchParams(clientCredentials({ client_id, client_secret })),
      }),
    ),
  ])
  return {
    seen,
    acknowledged,
    /** Resolves when so many more batches were acknowledged. */
    async progress(count: number): Promise<void> {
      const enough = acknowledged.size + count
      while (acknowledged.size < enough) await sleep(5)
    },
    async end(): Promise<void> {
      stopped.abort()
      await all
    },
  }
}
