/** Runs tasks, `limit` at a time at most. */
export interface Parallel {
  /** Resolves when there is room for one more. Rejects when a task has failed; then no more are started. */
  start(task: () => Promise<void>): Promise<void>
  /** Resolves when all have ended; rejects when one has failed. */
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
