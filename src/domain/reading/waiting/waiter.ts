import type { AccessClaim } from '../../../storage/port/index.ts'

/** A request that waits for a change. There may be thousands, so it has few objects and one function. */
export interface Waiter {
  claim: AccessClaim
  /** Ends the wait, once: by a change at `woken_at`, or without one; with an error, the request fails with it. */
  end(woken_at?: number | null, error?: unknown): void
}

/** The client of a waiting request. Not an AbortSignal, which takes more memory than all else that waits. */
export interface WaitingClient {
  hasLeft: boolean
  /** Called when the client closes the connection. */
  leave(): void
  /** Milliseconds that its request has waited in all. */
  waited: number
  /** When a change ended the last wait, by `performance.now()`; null when something else did. */
  woken_at: number | null
}
