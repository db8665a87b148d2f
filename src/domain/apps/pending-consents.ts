import type { Clock } from '../../lib/clock.ts'
import { isThisMachine, networkOf } from '../../lib/network.ts'
import type { Storage } from '../../storage/port/index.ts'

const window = 300

/**
 * Requests for consent that a network may begin in a window. Each is kept for two hours, and needs nothing but a client
 * id, which is public; so a network can keep at most 24,000 of them waiting, of 4 KiB at most. Generous, because a
 * whole office may be behind one address.
 */
export const maxPending = 1000

/**
 * Bounds what strangers can leave with us at the authorization endpoint. This machine is none; and everybody who comes by
 * a proxy on it that is not trusted looks like it.
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
    /** The seconds until another one may begin, or 0. */
    async wait(address: string): Promise<number> {
      if (isThisMachine(address)) return 0
      const now = clock.now()
      const pending = await storage.throttles.count(keyOf(address), now)
      return pending < maxPending ? 0 : window - (now % window)
    },
    /** Behind `wait`, so that a request that is refused costs nothing; as many as are under way at once may be beyond. */
    async began(address: string): Promise<void> {
      if (!isThisMachine(address)) await storage.throttles.hit(keyOf(address), clock.now(), window)
    },
  }
}

export type PendingConsents = ReturnType<typeof createPendingConsents>
