import { createLimiter, type Limiter } from '../../../lib/limiter.ts'
import { StorageUnavailable } from '../../port/index.ts'

/** One batch that writes, and one that the database starts as soon as the first commits. */
const batchesOfStore = 2

/**
 * Limits how many batches of one store are in the database at the same time. Its row lock serializes them anyway, and
 * batches that waited there would hold connections: one blocked store could take the whole pool.
 */
export function createStoreLimits(maxWait: number) {
  const limiters = new Map<bigint, Limiter>()

  function limiterOf(id: bigint): Limiter {
    const known = limiters.get(id)
    if (known) return known
    const refuse = () => new StorageUnavailable(`other batches of store ${id} took longer than ${maxWait} ms`)
    const limiter = createLimiter({ concurrency: batchesOfStore, maxWait, refuse })
    limiters.set(id, limiter)
    return limiter
  }

  return {
    /** Takes `ids` in ascending order, so that two batches that share stores never wait for each other. */
    async run<T>(ids: readonly bigint[], work: () => Promise<T>): Promise<T> {
      const acquired: bigint[] = []
      try {
        for (const id of ids) {
          await limiterOf(id).acquire()
          acquired.push(id)
        }
        return await work()
      } finally {
        for (const id of acquired) {
          const limiter = limiterOf(id)
          limiter.release()
          if (limiter.idle) limiters.delete(id)
        }
      }
    },
  }
}

export type StoreLimits = ReturnType<typeof createStoreLimits>
