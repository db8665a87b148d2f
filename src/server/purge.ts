import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/port/index.ts'

/** Milliseconds between two purges of expired tokens, consent requests, sessions and counters. */
const interval = 60_000

interface PurgeDeps {
  storage: Pick<Storage, 'purge'>
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
}

/** Purges every minute until stopped, but not while a purge still runs: they would delete the same rows. */
export function startPurge({ storage, clock, log }: PurgeDeps): { stop(): void } {
  let running = false
  let stopped = false

  async function purge(): Promise<void> {
    if (running) return
    running = true
    try {
      await storage.purge(clock.now())
    } catch (error) {
      // The storage is closed next, under a purge that still runs.
      if (!stopped) log.warn({ err: error }, 'expired data could not be deleted')
    } finally {
      running = false
    }
  }

  const timer = setInterval(() => void purge(), interval)
  return {
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
