import { noRecords } from '../contract/record.ts'
import { type ErrorDetail, fail } from '../errors.ts'
import type { Seconds } from '../lib/clock.ts'
import { type Line, LineCutter } from '../lib/lines.ts'
import type { By } from '../domain/audit/audit.ts'
import type { RecordWriter, Written } from './record-writer.ts'
import { detailOf } from './records/problems.ts'
import { lineFaults, maxLineLength } from './records/read.ts'

/** Accepts records as bytes, in batches; it runs in this thread or in worker threads (threads/pool.ts). */
export interface Ingest {
  open(options: IngestOptions): IngestBatch
  close(): Promise<void>
}

export interface IngestOptions {
  /** The sender, for the audit log. */
  by: By
  /** The server's time, which bounds updated_at; by default the writer's. */
  now?: Seconds
  /** Lines in earlier batches of the same file, so that line numbers continue. */
  after?: number
  /** Bytes that the sender announced; a batch without them counts as large. */
  announced?: number | undefined
  /** The limits of a request. With them, a line that is too long fails the whole batch. */
  limits?: { lines: number; size: number }
}

export interface IngestBatch {
  /** Bytes that the batch takes in memory. */
  readonly size: number
  /** Resolves when the next piece may be pushed; rejects when the batch exceeds its limits. */
  push(piece: Buffer): Promise<void>
  /** Stores all that was pushed in one transaction, or nothing. */
  commit(): Promise<Outcome>
  /** Drops what was pushed and frees its memory; after `commit` too. */
  abandon(): void
}

export type Outcome = Stored | Refused

interface Stored extends Written {
  /** Valid and invalid records; a batch without any is not written. */
  records: number
}

interface Refused {
  records: number
  refused: { message: string; details: readonly ErrorDetail[]; problems: number; lines: number }
}

const nothing: Written = { counts: noRecords, stale: [], warnings: [], newest: null, moves: [] }

export function createIngest(writer: RecordWriter): Ingest {
  return {
    open({ by, now, after = 0, limits }) {
      const cutter = new LineCutter(maxLineLength, after)
      const batch = writer.batch(by, now)

      function add(line: Line): void {
        if (limits && line.line - after > limits.lines) throw tooLarge(`${limits.lines} lines`)
        if (limits) rejectTooLong(line)
        batch.add(line)
        if (limits && batch.size > limits.size) {
          throw tooLarge(`${limits.size} bytes as stored, with every field of each record`)
        }
      }

      return {
        get size() {
          return batch.size
        },
        async push(piece) {
          cutter.push(piece).forEach(add)
        },
        async commit() {
          cutter.end().forEach(add)
          const { records, problems } = batch
          if (records === 0) return { records, ...nothing }
          const written = await batch.commit()
          return written ? { records, ...written } : { records, refused: problems.summary() }
        },
        abandon() {
          batch.clear()
        },
      }
    },
    async close() {},
  }
}

function rejectTooLong(line: Line): void {
  if (!('fault' in line) || line.fault !== 'too_long') return
  const detail = detailOf(line.line, lineFaults.too_long)
  throw fail('body_too_large', detail.message, { details: [detail] })
}

export const tooLarge = (most: string) =>
  fail(
    'body_too_large',
    `The body has more than ${most}, the maximum for one request; split it into several requests`,
  )
