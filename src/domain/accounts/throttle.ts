import type { Clock } from '../../lib/clock.ts'
import { networkOf } from '../../lib/network.ts'
import type { Storage } from '../../storage/port/index.ts'

/**
 * Slows the guessing of secrets and passwords. Failures are counted for a name as seen from a network, and for the
 * network alone. Never for the name alone: else anybody could lock an app or a merchant out.
 *
 * A password may be guessed, so an attempt is counted before it is looked at, and given back when it turns out to be no
 * guess (`take`, `forgive`). A client secret of 256 bits may not: it is always looked at, so that nobody who shares an
 * app's address can lock it out, and failures alone are slowed (`failed`).
 */
const window = 60

/** Failures a minute that are looked at: for a name as seen from a network, and for the network alone. */
const limits = {
  client: { byName: 10, byNetwork: 100 },
  'sign-in': { byName: 10, byNetwork: 100 },
  // Of strangers, who may make up any name: each counts, also one that succeeds.
  'sign-up': { byName: 10, byNetwork: 10 },
}

export interface Attempt {
  /** What is guessed at: a client_id or an email. */
  name: string
  address: string
}

export function createThrottle(
  kind: keyof typeof limits,
  { storage, clock }: { storage: Storage; clock: Clock },
) {
  const most = limits[kind]
  // A space is in no network, so no name makes one key look like another's.
  const keysOf = ({ name, address }: Attempt) => ({
    // Cut, because the name is whatever the guesser wrote.
    byName: `${kind} ${networkOf(address)} ${name.slice(0, 254)}`,
    byNetwork: `${kind} ${networkOf(address)}`,
    forgiven: `${kind}-forgiven ${networkOf(address)}`,
  })
  /** Windows begin at multiples of their length, on every node alike. */
  const restOfWindow = () => window - (clock.now() % window)

  /** Counts a failure, unless so many were counted that one more says nothing new; answers the seconds to wait, or 0. */
  async function count(attempt: Attempt): Promise<number> {
    const { byName, byNetwork, forgiven } = keysOf(attempt)
    const now = clock.now()
    const exceeds = async (named: number, all: number) =>
      named > most.byName ||
      (all > most.byNetwork && all - (await storage.throttles.count(forgiven, now)) > most.byNetwork)
    const before = await Promise.all([
      storage.throttles.count(byName, now),
      storage.throttles.count(byNetwork, now),
    ])
    if (await exceeds(...before)) return restOfWindow()
    const named = await storage.throttles.hit(byName, now, window)
    const all = await storage.throttles.hit(byNetwork, now, window)
    return (await exceeds(named, all)) ? restOfWindow() : 0
  }

  return {
    /** Before an attempt is looked at, so that many at once are no way around. */
    take: count,
    /**
     * The attempt was no guess after all. The network gets back this one alone: whoever has an account of their own
     * could otherwise wipe out their guesses at others. So an office behind one address may sign in all at once.
     */
    async forgive(attempt: Attempt): Promise<void> {
      const { byName, forgiven } = keysOf(attempt)
      await storage.throttles.clear(byName)
      await storage.throttles.hit(forgiven, clock.now(), window)
    },
    /** After an attempt has failed. */
    failed: count,
  }
}

export type Throttle = ReturnType<typeof createThrottle>
