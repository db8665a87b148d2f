import type { Clock } from '../lib/clock.ts'
import { networkOf } from '../lib/network.ts'
import { windowEnd } from '../lib/window.ts'
import type { Storage } from '../storage/port/index.ts'

/** On a sandbox server anybody signs up and gets a store, so sign-ups are limited: by network, and in all. */
export interface SignUpLimit {
  /** Why nobody may sign up from this address now, and the seconds to wait if that helps; null: they may. */
  refusal(address: string): Promise<{ text: string; seconds: number | null } | null>
  /** After a sign-up. */
  count(address: string): Promise<void>
}

const day = 86_400
/** Sign-ups a day from one network: a class of students, not a script. */
const ofNetwork = 20

export function createSignUpLimit({
  storage,
  clock,
  developers,
}: {
  storage: Pick<Storage, 'throttles' | 'browse'>
  clock: Clock
  /** Developer accounts that the server may have. */
  developers: number
}): SignUpLimit {
  const keyOf = (address: string): string => `sandbox-sign-up ${networkOf(address)}`
  return {
    async refusal(address) {
      const now = clock.now()
      if ((await storage.throttles.count(keyOf(address), now)) >= ofNetwork) {
        const seconds = windowEnd(now, day) - now
        const text = `Your network has created ${ofNetwork} accounts today. Try again tomorrow.`
        return { text, seconds }
      }
      if ((await storage.browse.totals()).developers < developers) return null
      return {
        text: `This sandbox has reached its limit of ${developers} developers. Ask its operator for an account.`,
        seconds: null,
      }
    },
    async count(address) {
      const now = clock.now()
      await storage.throttles.hit(keyOf(address), now, windowEnd(now, day))
    },
  }
}
