import { Signer } from '@fastify/cookie'
import type { Keys } from '../../domain/keys.ts'
import type { Clock } from '../../lib/clock.ts'

/** Seconds between two reads of the keys: half the time that a new key waits before it signs (domain/keys.ts). */
const readEvery = 30

export interface CookieSigner extends Pick<Signer, 'sign' | 'unsign'> {
  /** Reads the keys again after a while, because another process may have rotated them. */
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
  let readAt = clock.now()
  return {
    sign: value => signer.sign(value),
    unsign: value => signer.unsign(value),
    async refresh() {
      const now = clock.now()
      // The absolute value also covers a clock that was set back.
      if (Math.abs(now - readAt) < readEvery) return
      readAt = now
      try {
        signer = new Signer(await keys.cookie())
      } catch {
        // The current keys still work; a page that needs the database reports the fault.
        readAt = now - readEvery
      }
    },
  }
}
