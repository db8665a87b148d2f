import type { RecordCounts } from '../contract/record.ts'
import { type ErrorDetail, fail } from '../errors.ts'
import type { Seconds } from '../lib/clock.ts'
import { type Line, LineCutter } from '../lib/lines.ts'
import type { By } from '../domain/audit/audit.ts'
import type { RecordWriter } from './record-writer.ts'
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
  /** Lines in earlier batches of the same file, so that line numbers continue. */
  after?: number
  /** The most lines of a request. With it, a line that is too long fails the whole batch. */
  most_lines?: number
}

export interface IngestBatch {
  /** Resolves when the next piece may be pushed; rejects when the batch exceeds its limits. */
  push(piece: Buffer): Promise<void>
  /** Stores all that was pushed in one transaction, or nothing. */
  commit(): Promise<Outcome>
  /** Drops what was pushed. */
  abandon(): void
}

export type Outcome = Stored | Refused

interface Stored {
  /** Valid and invalid records; a batch without any is not written. */
  records: number
  counts: RecordCounts
  /** The newest updated_at of the stored orders. */
  newest: Seconds | null
}

interface Refused {
  records: number
  refused: { message: string; details: readonly ErrorDetail[]; problems: number; lines: number }
}

const nothing: RecordCounts = { stores: 0, items: 0, orders: 0, unchanged: 0 }

export function createIngest(writer: RecordWriter): Ingest {
  return {
    open({ by, after = 0, most_lines = Number.POSITIVE_INFINITY }) {
      const cutter = new LineCutter(maxLineLength, after)
      const batch = writer.batch(by)

      function add(line: Line): void {
        if (line.line - after > most_lines) throw tooMany(most_lines)
        if (most_lines !== Number.POSITIVE_INFINITY) rejectTooLong(line)
        batch.add(line)
      }

      return {
        async push(piece) {
          cutter.push(piece).forEach(add)
        },
        async commit() {
          cutter.end().forEach(add)
          const { records, problems } = batch
          if (records === 0) return { records, counts: nothing, newest: null }
          const counts = await batch.commit()
          if (counts) return { records, counts, newest: batch.newest }
          return { records, refused: problems.summary() }
        },
        abandon() {},
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

const tooMany = (most: number) =>
  fail(
    'body_too_large',
    `The body has more than ${most} lines, the maximum for one request; split it into several requests`,
  )
