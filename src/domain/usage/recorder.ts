import type { RecordCounts } from '../../contract/record.ts'
import type { Clock, Seconds } from '../../lib/clock.ts'
import type { LoggedRequest, Storage, UsageBatch } from '../../storage/port/index.ts'
import { type AppRead, createCounters } from './counters.ts'
import { createLogBuffer } from './log-buffer.ts'
import { createLogTrimming } from './log-trimming.ts'

/** What a crash may lose, in milliseconds. */
const flushEvery = 5000

/** Keys in memory at which a flush comes early: as many as one transaction writes in a few milliseconds. */
const flushAt = 500
/** Keys in memory beyond which nothing new is counted: reached only while the database takes nothing. */
const mostKeys = 5000
/** Requests logged by one flush. */
const mostLogged = 1000

/** Counts in memory and writes in the background: whoever records neither waits nor fails. */
export interface UsageRecorder {
  /** `at_ms` is set here. */
  request(request: LoggedRequest): void
  read(read: AppRead): void
  /** A batch that was stored; `newest`: the newest updated_at of its orders. */
  ingested(counts: RecordCounts, newest: Seconds | null): void
  /** Writes what was recorded until now. Never rejects: what could not be written is tried again. */
  flush(): Promise<void>
  /** The last flush. */
  close(): Promise<void>
  /** What was not counted, and not logged, for want of room. */
  readonly dropped: { readonly counts: number; readonly log: number }
}

export interface RecorderDeps {
  storage: Pick<Storage, 'usage'>
  clock: Clock
  /** Told when writing fails, and when it works again. */
  notice?(text: string, error?: unknown): void
  /** Calls `flush` again and again until it is stopped. */
  repeat?(flush: () => void): { stop(): void }
}

export function createUsageRecorder({
  storage,
  clock,
  notice = () => {},
  repeat = everyFewSeconds,
}: RecorderDeps): UsageRecorder {
  const counters = createCounters(mostKeys)
  const log = createLogBuffer(clock, mostLogged)
  const trimming = createLogTrimming(storage)
  let uncounted = 0
  /** What could not be written. It is tried again as it is, before anything newer. */
  let unsent: UsageBatch | null = null
  let failing = false
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  let early = false
  const timer = repeat(() => void flush())

  /** A flush that comes while one is under way waits for it, since its own part came later. */
  function flush(): Promise<void> {
    if (running) {
      next ??= running.then(() => {
        next = null
        return flush()
      })
      return next
    }
    running = writeAll().finally(() => {
      running = null
    })
    return running
  }

  async function writeAll(): Promise<void> {
    if (unsent && !(await write(unsent))) return
    const batch = { ...counters.take(), log: log.take() }
    if (
      batch.log.length > 0 ||
      batch.reads.length > 0 ||
      batch.requests.length > 0 ||
      batch.ingest.length > 0
    )
      await write(batch)
  }

  async function write(batch: UsageBatch): Promise<boolean> {
    try {
      await storage.usage.add(batch)
    } catch (error) {
      unsent = batch
      if (!failing) notice('usage figures cannot be written now; trying again', error)
      failing = true
      return false
    }
    unsent = null
    if (failing) notice('usage figures are written again')
    failing = false
    await trimming.written(batch.log)
    return true
  }

  function flushEarly(): void {
    if (early || failing || counters.size < flushAt) return
    early = true
    setImmediate(() => {
      early = false
      void flush()
    })
  }

  return {
    request(request) {
      if (!counters.request(request, clock.now())) uncounted++
      log.push(request)
      flushEarly()
    },
    read(read) {
      if (!counters.read(read, clock.now())) uncounted++
    },
    ingested: (counts, newest) => counters.ingested(counts, newest, clock.now()),
    flush,
    async close() {
      timer.stop()
      await flush()
    },
    get dropped() {
      return { counts: uncounted, log: log.dropped }
    },
  }
}

function everyFewSeconds(flush: () => void): { stop(): void } {
  const timer = setInterval(flush, flushEvery).unref()
  return { stop: () => clearInterval(timer) }
}
