import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/port.ts'

/**
 * Slows the guessing of secrets and passwords. Failures are counted for a name as seen from an address, and for the
 * address alone. Never for the name alone: else anybody could lock an app or a merchant out.
 */
const window = 60
const failuresByName = 10
const failuresByAddress = 100

export interface Attempt {
  /** What is guessed at: a client_id or an email. */
  name: string
  address: string
}

export function createThrottle(
  kind: 'client' | 'sign-in',
  { storage, clock }: { storage: Storage; clock: Clock },
) {
  const keysOf = ({ name, address }: Attempt) => ({
    // Cut, because the name is whatever the guesser wrote.
    byName: `${kind}:${address}:${name.slice(0, 254)}`,
    byAddress: `${kind}:${address}`,
  })
  /** Windows begin at multiples of their length, on every node alike. */
  const restOfWindow = () => window - (clock.now() % window)

  async function count(attempt: Attempt): Promise<{ named: number; all: number }> {
    const { byName, byAddress } = keysOf(attempt)
    const named = await storage.throttles.hit(byName, clock.now(), window)
    return { named, all: await storage.throttles.hit(byAddress, clock.now(), window) }
  }

  return {
    /**
     * Counts an attempt before it is looked at, so that many at once are no way around; answers the seconds to wait
     * instead, or 0. For what is rare enough to cost a write each time.
     */
    async take(attempt: Attempt): Promise<number> {
      const { named, all } = await count(attempt)
      return named > failuresByName || all > failuresByAddress ? restOfWindow() : 0
    },
    /** The attempt was no guess after all. */
    async forgive(attempt: Attempt): Promise<void> {
      await storage.throttles.clear(keysOf(attempt).byName)
    },
    /** Seconds to wait before the next attempt is looked at; 0 when it may go on. Costs no write. */
    async wait(attempt: Attempt): Promise<number> {
      const { byName, byAddress } = keysOf(attempt)
      const now = clock.now()
      const [named, all] = await Promise.all([
        storage.throttles.count(byName, now),
        storage.throttles.count(byAddress, now),
      ])
      return named >= failuresByName || all >= failuresByAddress ? restOfWindow() : 0
    },
    async failed(attempt: Attempt): Promise<void> {
      await count(attempt)
    },
  }
}

export type Throttle = ReturnType<typeof createThrottle>
