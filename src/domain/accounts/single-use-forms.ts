import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import type { Storage } from '../../storage/port/index.ts'
import { sessionLifetime } from './sessions.ts'

/** A used form's session ends within one lifetime; the other one is for nodes whose clocks differ. */
const remembered = 2 * sessionLifetime

/**
 * For a form whose answer shows a secret: the answer cannot be a redirect, so a reload or a double click sends the form
 * again. Each rendering of a form has a CSRF token of its own; the server acts on each token once, whichever node
 * gets it.
 */
export function createSingleUseForms({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'throttles'>
  clock: Clock
}) {
  return {
    /** Null when the form was used already. A run that fails leaves it usable: the person goes back and tries again. */
    async use<T>(token: string, run: () => Promise<T>): Promise<T | null> {
      const key = `form:${sha256(token)}`
      const now = clock.now()
      if ((await storage.throttles.hit(key, now, now + remembered)) > 1) return null
      try {
        return await run()
      } catch (error) {
        // A database that fails here too must not hide the first error.
        await storage.throttles.clear(key).catch(() => {})
        throw error
      }
    },
  }
}

export type SingleUseForms = ReturnType<typeof createSingleUseForms>
