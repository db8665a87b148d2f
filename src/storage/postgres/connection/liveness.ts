import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './connection.ts'

/**
 * A server can hang with its connections open: the machine is paused, the network drops packets. A slow statement looks
 * the same for seconds, so after `silence` without any answer a new connection is tried, for `probeTimeout`. By default
 * they let a request get its 503 within two seconds. Milliseconds.
 */
const silence = 400
const checkInterval = 100
const retryInterval = 250

interface Watched {
  /** When the oldest wait for the server began, and when the server answered last; null for none. */
  waitingSince(): number | null
  answeredAt(): number
  /** How long the new connection may take. */
  probeTimeout: number
  /** Opens a connection, which is then the pool's. */
  open(timeout: number): Promise<Connection>
  /** The server does not answer; and it answers again. */
  down(): void
  up(): void
}

/** A circuit breaker (https://martinfowler.com/bliki/CircuitBreaker.html) for one pool; returns how to stop it. */
export function watchLiveness(watched: Watched): () => void {
  const { waitingSince, answeredAt, probeTimeout, open, down, up } = watched
  let busy = false
  const stop = new AbortController()

  const timer = setInterval(() => {
    const since = waitingSince()
    if (busy || since === null || performance.now() - Math.max(since, answeredAt()) < silence) return
    busy = true
    void examine().finally(() => {
      busy = false
    })
  }, checkInterval).unref()

  async function examine(): Promise<void> {
    const began = performance.now()
    if (await answers()) return
    // Where this process was busy itself, answers wait to be read.
    await turn()
    if (stop.signal.aborted || answeredAt() > began || waitingSince() === null) return
    down()
    while (!stop.signal.aborted) {
      await sleep(retryInterval, undefined, { ref: false })
      if (await answers()) break
    }
    up()
  }

  async function answers(): Promise<boolean> {
    const late = new AbortController()
    try {
      const opened = open(probeTimeout)
      opened.catch(() => {}) // after the timeout nothing handles it
      const timeout = sleep(probeTimeout, false, { signal: late.signal, ref: false })
      return (await Promise.race([opened, timeout])) !== false
    } catch (error) {
      // An error of the server, such as too many connections, is an answer.
      return (error as Error).name === 'PostgresError'
    } finally {
      late.abort()
    }
  }

  return () => {
    stop.abort()
    clearInterval(timer)
  }
}
