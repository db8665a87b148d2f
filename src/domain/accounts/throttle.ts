import type { Clock } from '../../lib/clock.ts'
import { networkOf } from '../../lib/network.ts'
import { windowEnd } from '../../lib/window.ts'
import type { Storage } from '../../storage/port/index.ts'

/**
 * Slows the guessing of secrets and passwords. It counts failures by name and network, and by network, never by name
 * alone: that would let anybody lock an app or a merchant out.
 *
 * A password can be guessed, so an attempt counts before it is checked, which parallel attempts cannot get around, and a
 * successful one is subtracted (`forgive`). A client secret of 256 bits cannot: it is always checked, and only failures count.
 */
const window = 60

/** Failures a minute, by name and network and by network alone. */
const limits = {
  client: { byName: 10, byNetwork: 100 },
  'sign-in': { byName: 10, byNetwork: 100 },
  // Anybody can sign up under any name, so every attempt counts, including successful ones.
  'sign-up': { byName: 10, byNetwork: 10 },
}

export interface Attempt {
  /** A client_id or an email. */
  name: string
  address: string
}

export function createThrottle(
  kind: keyof typeof limits,
  { storage, clock }: { storage: Storage; clock: Clock },
) {
  const most = limits[kind]
  // A network contains no space, so that a name cannot imitate another key.
  const keysOf = ({ name, address }: Attempt) => ({
    // The client chooses the name, so its length is limited.
    byName: `${kind} ${networkOf(address)} ${name.slice(0, 254)}`,
    byNetwork: `${kind} ${networkOf(address)}`,
    forgiven: `${kind}-forgiven ${networkOf(address)}`,
  })
  /** Counts a failure, unless the limit is exceeded already; returns the seconds to wait, or 0. */
  async function count(attempt: Attempt): Promise<number> {
    const { byName, byNetwork, forgiven } = keysOf(attempt)
    const now = clock.now()
    const end = windowEnd(now, window)
    const exceeds = async (named: number, all: number) =>
      named > most.byName ||
      (all > most.byNetwork && all - (await storage.throttles.count(forgiven, now)) > most.byNetwork)
    const before = await Promise.all([
      storage.throttles.count(byName, now),
      storage.throttles.count(byNetwork, now),
    ])
    if (await exceeds(...before)) return end - now
    const named = await storage.throttles.hit(byName, now, end)
    const all = await storage.throttles.hit(byNetwork, now, end)
    return (await exceeds(named, all)) ? end - now : 0
  }

  return {
    count,
    /**
     * After a successful attempt. It subtracts this one attempt from the network's count, so that an office behind one
     * address can sign in at once. Clearing the count would let an account's owner erase guesses at other accounts.
     */
    async forgive(attempt: Attempt): Promise<void> {
      const { byName, forgiven } = keysOf(attempt)
      await storage.throttles.clear(byName)
      const now = clock.now()
      await storage.throttles.hit(forgiven, now, windowEnd(now, window))
    },
  }
}

export type Throttle = ReturnType<typeof createThrottle>
