/** Runs at most `limit` tasks at a time. */
export interface Parallel {
  /** Starts a task and resolves when another may start. After a failed task it rejects and starts no more. */
  start(task: () => Promise<void>): Promise<void>
  /** Resolves when all tasks have ended; rejects when one has failed. */
  ended(): Promise<void>
}

export function inParallel(limit: number): Parallel {
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  const rethrow = () => {
    if (failures.length > 0) throw failures[0]
  }

  return {
    async start(task) {
      rethrow()
      const run: Promise<void> = task()
        .catch(error => void failures.push(error))
        .finally(() => running.delete(run))
      running.add(run)
      if (running.size >= limit) await Promise.race(running)
    },
    async ended() {
      await Promise.all(running)
      rethrow()
    },
  }
}
