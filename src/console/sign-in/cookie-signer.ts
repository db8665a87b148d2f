import { Signer } from '@fastify/cookie'
import type { Keys } from '../../domain/keys.ts'
import type { Clock } from '../../lib/clock.ts'

/** Seconds between two looks at the keys: half of what a new one waits before it signs (domain/keys.ts). */
const lookEvery = 30

export interface CookieSigner extends Pick<Signer, 'sign' | 'unsign'> {
  /** Reads the keys once in a while: another process may have rotated them. */
  refresh(): Promise<void>
}

export async function createCookieSigner({
  keys,
  clock,
}: {
  keys: Keys
  clock: Clock
}): Promise<CookieSigner> {
  let signer = new Signer(await keys.cookie())
  let looked = clock.now()
  return {
    sign: value => signer.sign(value),
    unsign: value => signer.unsign(value),
    async refresh() {
      const now = clock.now()
      // Also when the clock was put back.
      if (Math.abs(now - looked) < lookEvery) return
      looked = now
      try {
        signer = new Signer(await keys.cookie())
      } catch {
        // The keys at hand still do: a page that needs the database will say that it cannot be read.
        looked = now - lookEvery
      }
    },
  }
}
