import type { RecordCounts } from '../contract/record.ts'
import { type ErrorDetail, fail } from '../errors.ts'
import type { Seconds } from '../lib/clock.ts'
import { type Line, LineCutter } from '../lib/lines.ts'
import type { By } from '../domain/audit/audit.ts'
import type { RecordWriter } from './record-writer.ts'
import { detailOf } from './records/problems.ts'
import { faults, maxLineLength } from './records/read.ts'

/** Takes records as the bytes they arrive as, batch by batch: here, or in a thread of its own (src/ingest). */
export interface Ingest {
  open(options: IngestOptions): IngestBatch
  close(): Promise<void>
}

export interface IngestOptions {
  /** Who sends them. */
  by: By
  /** Lines that came before, in other batches: the first one here is the next after them. */
  after?: number
  /** The most lines of a request. With it, a line that is too long ends the batch: what it holds was not kept. */
  most_lines?: number
}

export interface IngestBatch {
  /** Settles when there is room for the next piece; rejects when the batch is beyond its limits. */
  push(piece: Buffer): Promise<void>
  /** One transaction: all that was pushed, or nothing of it. */
  commit(): Promise<Outcome>
  /** Forgets what was pushed. */
  abandon(): void
}

export type Outcome = Stored | Refused

interface Stored {
  /** Good and bad; a batch without any is not written. */
  records: number
  counts: RecordCounts
  /** The newest updated_at of the orders that were stored. */
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

      function take(line: Line): void {
        if (line.line - after > most_lines) throw tooMany(most_lines)
        if (most_lines !== Number.POSITIVE_INFINITY) refuseTooLong(line)
        batch.take(line)
      }

      return {
        async push(piece) {
          cutter.push(piece).forEach(take)
        },
        async commit() {
          cutter.end().forEach(take)
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

function refuseTooLong(line: Line): void {
  if (!('fault' in line) || line.fault !== 'too_long') return
  const detail = detailOf(line.line, faults.too_long)
  throw fail('body_too_large', detail.message, { details: [detail] })
}

const tooMany = (most: number) =>
  fail('body_too_large', `The body has more than ${most} lines, the most for one request; send it in several`)
