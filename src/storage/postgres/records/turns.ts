import { StorageUnavailable } from '../../port/index.ts'

/** One that writes, and one that is at the door when the first commits: more would only wait there. */
const atOnce = 2

interface Store {
  running: number
  /** Who waits, longest first. */
  waiting: Set<() => void>
}

/**
 * Lets at most two batches of one store go to the database at a time. They are written one after the other anyway; but
 * waiting there, each with a connection, those of one store that is stuck could leave no connection for all the others.
 */
export function createTurns(patience_ms: number) {
  const stores = new Map<bigint, Store>()

  async function enter(id: bigint): Promise<void> {
    const store = stores.get(id) ?? { running: 0, waiting: new Set() }
    stores.set(id, store)
    if (store.running < atOnce) {
      store.running += 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        store.waiting.delete(go)
        reject(new StorageUnavailable(`other batches of store ${id} took longer than ${patience_ms} ms`))
      }, patience_ms)
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      store.waiting.add(go)
    })
  }

  function leave(id: bigint): void {
    const store = stores.get(id) as Store
    const [next] = store.waiting
    if (next) {
      store.waiting.delete(next)
      next()
      return
    }
    store.running -= 1
    if (store.running === 0) stores.delete(id)
  }

  return {
    /** `ids` in ascending order: two batches that share stores then never wait for each other. */
    async take<T>(ids: readonly bigint[], work: () => Promise<T>): Promise<T> {
      const entered: bigint[] = []
      try {
        for (const id of ids) {
          await enter(id)
          entered.push(id)
        }
        return await work()
      } finally {
        for (const id of entered) leave(id)
      }
    },
  }
}

export type Turns = ReturnType<typeof createTurns>
