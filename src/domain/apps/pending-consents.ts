import type { Clock } from '../../lib/clock.ts'
import { isThisMachine, networkOf } from '../../lib/network.ts'
import { windowEnd } from '../../lib/window.ts'
import type { Storage } from '../../storage/port/index.ts'

const window = 300

/**
 * Authorization requests that one network may start in a window. A client id is public, so anyone can start them, and each
 * is stored for two hours: 24,000 of at most 12 KiB for one network. Generous, because an office may share one address.
 */
export const maxPending = 1000

/**
 * Limits how many pending authorization requests a network can store. Loopback is exempt: every client behind an untrusted
 * proxy on this machine has that address.
 */
export function createPendingConsents({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'throttles'>
  clock: Clock
}) {
  const keyOf = (address: string) => `authorize ${networkOf(address)}`
  return {
    /** Seconds until the network may start another request, or 0. */
    async wait(address: string): Promise<number> {
      if (isThisMachine(address)) return 0
      const now = clock.now()
      const pending = await storage.throttles.count(keyOf(address), now)
      return pending < maxPending ? 0 : windowEnd(now, window) - now
    },
    /** Called after `wait`, so that a refused request costs nothing; requests in parallel may exceed the limit slightly. */
    async began(address: string): Promise<void> {
      if (isThisMachine(address)) return
      const now = clock.now()
      await storage.throttles.hit(keyOf(address), now, windowEnd(now, window))
    },
  }
}

export type PendingConsents = ReturnType<typeof createPendingConsents>
