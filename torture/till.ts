import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../src/demo/random.ts'

/** A till that keeps storing new, corrected and back-dated orders. */
export interface Till {
  /** Versions stored so far. */
  stored(): number
  push(count: number): Promise<void>
  sell(signal: AbortSignal): Promise<void>
}

interface TillOptions {
  base: string
  bearer: string
  stores: readonly number[]
  random: Random
}

export function createTill({ base, bearer, stores, random }: TillOptions): Till {
  let version = 0

  async function push(count: number): Promise<void> {
    const batch = new Map<string, object>()
    for (let i = 0; i < count; i++) {
      const store_id = random.pick(stores)
      const id = `till-${store_id}-${random.between(0, 3000)}`
      const day = `${random.between(2019, 2026)}-0${random.between(1, 9)}-1${random.between(0, 9)}`
      const fields = { status: 2, created_at: `${day} 10:00:00`, updated_at: '2026-11-01 00:00:00' }
      batch.set(id, { kind: 'order', store_id, id, order_number: `v${++version}`, ...fields, carts: [] })
    }
    const answer = await fetch(`${base}/platform/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-ndjson' },
      body: [...batch.values()].map(order => JSON.stringify(order)).join('\n'),
    })
    if (answer.status !== 200) throw new Error(`the till got ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }

  return {
    stored: () => version,
    push,
    async sell(signal) {
      while (!signal.aborted) {
        await push(10)
        await sleep(50)
      }
    },
  }
}
