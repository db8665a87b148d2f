import type { FastifyBaseLogger } from 'fastify'
import type { Clock, Seconds } from '../../lib/clock.ts'

declare module 'fastify' {
  interface FastifyInstance {
    outages: OutageLog
  }
}

/**
 * The log of a database that cannot answer: a line at the first failed request, then at most one a second with the number
 * of requests that failed, and one at the end. An outage under load would otherwise write thousands.
 */
export interface OutageLog {
  /** Without an id, outside of a request. */
  failed(error: unknown, request_id?: string): void
  /** The database has answered. */
  answered(): void
  /** Whether this request failed because of the database; true once. */
  take(request_id: string): boolean
  /** Writes the last count. */
  close(): void
}

interface Outage {
  since: Seconds
  /** Requests since the last line, and since the first. */
  count: number
  total: number
  /** The newest failure. */
  failure: { err: unknown; request_id?: string }
  /** The database has answered since then. */
  answered: boolean
}

interface OutageDeps {
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  clock: Clock
  /** Calls `write` every second until stopped. */
  repeat?(write: () => void): { stop(): void }
}

export function createOutageLog({ log, clock, repeat = everySecond }: OutageDeps): OutageLog {
  const requests = new Set<string>()
  let outage: Outage | null = null
  let timer: { stop(): void } | null = null

  function write(): void {
    if (!outage) return
    const { failure, count, total, since } = outage
    if (count > 0) {
      log.error({ ...failure, count, total }, 'the database cannot answer')
      outage.count = 0
    } else if (outage.answered) {
      log.warn({ total, seconds: clock.now() - since }, 'the database answers again')
      end()
    }
  }

  function end(): void {
    timer?.stop()
    timer = outage = null
    // Requests that ended before they failed are never taken.
    requests.clear()
  }

  return {
    failed(err, request_id) {
      if (request_id !== undefined) requests.add(request_id)
      const failure = { err, ...(request_id !== undefined && { request_id }) }
      if (outage) {
        Object.assign(outage, { failure, answered: false })
        outage.count += 1
        outage.total += 1
        return
      }
      outage = { since: clock.now(), count: 1, total: 1, failure, answered: false }
      write()
      timer = repeat(write)
    },
    answered() {
      if (outage) outage.answered = true
    },
    take: request_id => requests.delete(request_id),
    close() {
      if (outage && outage.count > 0) write()
      end()
    },
  }
}

function everySecond(write: () => void): { stop(): void } {
  const timer = setInterval(write, 1000).unref()
  return { stop: () => clearInterval(timer) }
}
