/** Too many are waiting already. */
export class Crowded extends Error {
  override name = 'Crowded'
}

/** Lets `inside` pieces of work run at a time and `waiting` more wait; whoever comes then is turned away at once. */
export function createTurnstile(inside: number, waiting: number) {
  let running = 0
  const queue: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < inside) running++
    else if (queue.length < waiting) await new Promise<void>(resolve => queue.push(resolve))
    else throw new Crowded(`${waiting} are waiting already`)
    try {
      return await work()
    } finally {
      // The place is handed on; only when nobody waits does it become free.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
