import type { FastifyRequest } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/hash.ts'
import type { Storage } from '../storage/port/index.ts'

/** Long after every session that the form was shown in. */
const window = 30 * 86_400

export type Once = ReturnType<typeof createOnce>

/**
 * For a form whose answer shows a secret: it cannot redirect, so a reload or a double click sends the form again.
 * Each rendering of a form has a CSRF token of its own; what was done with it is not done again, on any node.
 */
export function createOnce({ storage, clock }: { storage: Pick<Storage, 'throttles'>; clock: Clock }) {
  /** Null when the form was used already. A run that fails leaves it usable: the person goes back and tries again. */
  return async <T>(request: FastifyRequest, run: () => Promise<T>): Promise<T | null> => {
    const { _csrf } = (request.body ?? {}) as { _csrf?: unknown }
    const key = `form:${sha256(String(_csrf))}`
    if ((await storage.throttles.hit(key, clock.now(), window)) > 1) return null
    try {
      return await run()
    } catch (error) {
      await storage.throttles.clear(key)
      throw error
    }
  }
}
