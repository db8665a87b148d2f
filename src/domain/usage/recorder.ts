import type { Clock } from '../../lib/clock.ts'
import type { LoggedRequest, Storage, UsageBatch } from '../../storage/port/index.ts'
import { type AppRead, createCounters, type StoredBatch } from './counters.ts'
import { createLogBuffer } from './log-buffer.ts'
import { createLogTrimming } from './log-trimming.ts'

/** Milliseconds; a crash loses at most the figures of this time. */
const flushEvery = 5000

/** Milliseconds of failed writes after which a flush leaves the rest to the next one. */
const maxLostTime = 2000

/** Keys in memory that start an early flush: as many as one transaction writes in a few milliseconds. */
const flushAt = 500
/** Keys in memory beyond which no new key is counted: reached only while the database accepts no writes. */
const maxKeys = 5000
/** Requests logged by one flush. */
const maxLogged = 1000

/** Counts in memory and writes in the background, part by part: recording a request neither waits nor fails. */
export interface UsageRecorder {
  /** `at_ms` is set here. */
  request(request: LoggedRequest): void
  read(read: AppRead): void
  ingested(batch: StoredBatch): void
  /** Writes everything recorded so far. Never rejects: a part that could not be written goes with the next flush. */
  flush(): Promise<void>
  /** The last flush. */
  close(): Promise<void>
  /** Requests left out of the counters and of the log because a limit was reached. */
  readonly dropped: { readonly counts: number; readonly log: number }
}

export interface RecorderDeps {
  storage: Pick<Storage, 'usage'>
  clock: Clock
  /** Called when writing fails, and when it works again. */
  notice?(text: string, error?: unknown): void
  /** Elapsed time. */
  milliseconds?(): number
  /** Calls `flush` at an interval until stopped. */
  repeat?(flush: () => void): { stop(): void }
}

export function createUsageRecorder({
  storage,
  clock,
  notice = () => {},
  milliseconds = () => performance.now(),
  repeat = everyFewSeconds,
}: RecorderDeps): UsageRecorder {
  const counters = createCounters(maxKeys)
  const log = createLogBuffer(clock, maxLogged)
  const trimming = createLogTrimming(storage)
  let uncounted = 0
  let flushes = 0
  let failing = false
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  let early = false
  const timer = repeat(() => void flush())

  /** A flush requested during another one runs after it, because newer figures may not be in the first. */
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
    const batch = { ...counters.take(), log: log.take() }
    if (Object.values(batch).every(rows => rows.length === 0)) return
    let failed: unknown = null
    let lostTime = 0
    for (const part of inOrder(await storage.usage.parts(batch))) {
      const started = milliseconds()
      const error = lostTime < maxLostTime ? await write(part) : failed
      if (error === null) continue
      failed = error
      lostTime += milliseconds() - started
      uncounted += counters.restore(part)
      log.restore(part.log)
    }
    if (failed !== null && !failing) notice('usage figures cannot be written; retrying', failed)
    if (failed === null && failing) notice('usage figures are being written again')
    failing = failed !== null
  }

  /** Begins at another part each time: parts that fail slowly must not keep the same others waiting for ever. */
  function inOrder(parts: readonly UsageBatch[]): UsageBatch[] {
    const start = flushes++ % Math.max(1, parts.length)
    return [...parts.slice(start), ...parts.slice(0, start)]
  }

  /** Null when it was written. */
  async function write(part: UsageBatch): Promise<unknown> {
    try {
      await storage.usage.add(part)
    } catch (error) {
      return error
    }
    await trimming.written(part.log)
    return null
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
    ingested: batch => counters.ingested(batch, clock.now()),
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
