import type { Client } from '../client.ts'
import { stuck } from '../lists.ts'
import type { Int64 } from '../types.ts'

/** The newest seq of every store that the token may read: which stores have changed, or a wait until one does. */

export interface Head {
  store_id: bigint
  seq: number
}

export interface Heads {
  /** All heads; null when nothing changed since the last call, within `wait` seconds. */
  read(wait: number, signal: AbortSignal): Promise<Head[] | null>
}

export function createHeads(client: Client): Heads {
  const path = '/integration/v1/changes/heads'
  let etag: string | null = null
  let isLong = false
  return {
    async read(wait, signal) {
      const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
      // The tag is that of the first page, so several pages are read again after a short time.
      const held = etag === null ? {} : { wait: isLong ? Math.min(wait, 5) : wait }
      const query = { count: 2000 }
      let answer = await client.request({ path, query, headers, signal, ...held })
      if (answer.status === 304 && !isLong) return null
      const heads: Head[] = []
      if (answer.status === 304) answer = await client.request({ path, query, signal })
      etag = answer.headers.get('etag')
      const cursors = new Set<string>()
      for (;;) {
        for (const { store_id, seq } of answer.data as { store_id: Int64; seq: number }[]) {
          heads.push({ store_id: BigInt(store_id), seq })
        }
        const cursor = /[?&]cursor=([^&>]+)/.exec(answer.headers.get('link') ?? '')?.[1]
        if (cursor === undefined) return heads
        if (cursors.has(cursor)) throw stuck(`cursor ${cursor}`)
        cursors.add(cursor)
        isLong = true
        answer = await client.request({
          path,
          query: { ...query, cursor: decodeURIComponent(cursor) },
          signal,
        })
      }
    },
  }
}
