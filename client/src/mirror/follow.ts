import { TillgateError } from '../errors.ts'
import { pause } from '../transport.ts'
import type { Copy } from './copy.ts'
import type { Heads } from './heads.ts'
import type { Sync } from './sync.ts'

/** Keeps a copy current until the signal aborts. One waiting request serves all stores. */

export interface FollowOptions {
  sync: Sync
  copy: Copy
  heads: Heads
  signal: AbortSignal
  onCurrent: () => void
  onTrouble: (error: TillgateError, seconds: number) => void
}

/** Names and time zones of stores are in no feed, so the list is read again at this interval. */
const storesInterval = 3_600_000

/** In seconds; an operator's mistake in `Retry-After` must not stop the copy for days. */
const longestPause = 3600

export async function follow({
  sync,
  copy,
  heads,
  signal,
  onCurrent,
  onTrouble,
}: FollowOptions): Promise<void> {
  let storesRead = 0
  let turn = 0

  async function round(): Promise<void> {
    if (Date.now() - storesRead > storesInterval) {
      await sync.stores()
      await sync.changes(copy.storeIds())
      storesRead = Date.now()
      onCurrent()
    }
    const all = await heads.read(30, signal)
    const known = copy.storeIds()
    // A new feed moves no head, so each quiet round asks one store whether the feed is still the same.
    let due = known.length > 0 ? [known[turn++ % known.length] as bigint] : []
    if (all !== null) {
      const isKnown = new Set(known)
      if (all.length !== known.length || all.some(({ store_id }) => !isKnown.has(store_id)))
        await sync.stores()
      const current = new Set(copy.storeIds())
      due = all
        .filter(({ store_id, seq }) => current.has(store_id) && copy.position(store_id).next !== seq)
        .map(({ store_id }) => store_id)
    }
    // All stores share the history of the database.
    if (await sync.changes(due)) await sync.changes(copy.storeIds())
    onCurrent()
  }

  for (let failures = 0; !signal.aborted; ) {
    try {
      await round()
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      if (!isTransient(error)) throw error
      // The heads were perhaps read and not followed: the next round asks every store.
      storesRead = 0
      const seconds = Math.min(longestPause, Math.max(error.retryAfter ?? 0, Math.min(60, 2 ** failures++)))
      onTrouble(error, seconds)
      await pause(seconds * 1000, signal).catch(() => {})
    }
  }
}

const isRedirect = ({ status }: TillgateError): boolean => status >= 300 && status < 400

/** Whether the server may answer later: it restarts, is overloaded, or cannot be reached. */
const isTransient = (error: unknown): error is TillgateError =>
  error instanceof TillgateError &&
  (error.code === 'connection_failed' ||
    (error.code === 'response_invalid' && error.status > 0 && !isRedirect(error)) ||
    error.status >= 500 ||
    [408, 429].includes(error.status))
