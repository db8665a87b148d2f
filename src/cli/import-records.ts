import type { RecordCounts } from '../contract/record.ts'
import type { Batch, Ingest } from '../domain/ingest.ts'
import { detailOf } from '../domain/records/problems.ts'
import { maxLineLength, type RecordReader } from '../domain/records/read.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { linesOf } from '../lib/lines.ts'
import { byCommand } from './run.ts'

/** How far an import is; kept up to date, so that whatever ends it can tell. */
export interface ImportState {
  counts: RecordCounts
  /** Every line up to this one is stored. */
  stored_through: number
  /** What is wrong with the batch that could not be stored, and how many problems and lines that is. */
  bad: { details: readonly ErrorDetail[]; problems: number; lines: number } | null
}

interface ImportOptions {
  pieces: AsyncIterable<Buffer>
  ingest: Ingest
  state: ImportState
  signal: AbortSignal
  /** Called with the number of records of each batch that was stored. */
  onBatch(records: number): void
}

/** One transaction each: large enough that the disk's flush costs little, small enough to be held in memory. */
const batchLines = 4000
const batchBytes = 8 * 1024 * 1024

/** Stores the lines batch by batch, until their end, the first bad batch or the signal. */
export async function importRecords({
  pieces,
  ingest,
  state,
  signal,
  onBatch,
}: ImportOptions): Promise<void> {
  let batch = ingest.batch(byCommand())
  let first = 1
  let bytes = 0

  async function store(through: number): Promise<boolean> {
    const stored = await commit(batch, state)
    if (!stored) return false
    state.stored_through = through
    onBatch(batch.records)
    batch = ingest.batch(byCommand())
    first = through + 1
    bytes = 0
    return !signal.aborted
  }

  let last = 0
  for await (const lines of linesOf(pieces, maxLineLength)) {
    for (const line of lines) {
      last = line.line
      if ('text' in line) bytes += line.text.length
      batch.take(line)
      if (last - first + 1 < batchLines && bytes < batchBytes) continue
      if (!(await store(last))) return
    }
  }
  if (last >= first) await store(last)
}

async function commit(batch: Batch, state: ImportState): Promise<boolean> {
  try {
    const counts = await batch.commit()
    for (const kind of ['stores', 'items', 'orders', 'unchanged'] as const) state.counts[kind] += counts[kind]
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'record_invalid') throw error
    const { total, lines } = batch.problems
    state.bad = { details: error.details, problems: total, lines: lines.size }
    return false
  }
}

interface CheckOptions {
  pieces: AsyncIterable<Buffer>
  reader: RecordReader
  onProblem(detail: ErrorDetail): void
  onLines(count: number): void
}

/** Reads every line as an import would and stores nothing. Whether a record's store exists is not asked. */
export async function checkRecords(
  options: CheckOptions,
): Promise<{ counts: RecordCounts; bad_lines: number }> {
  const { pieces, reader, onProblem, onLines } = options
  const counts: RecordCounts = { stores: 0, items: 0, orders: 0, unchanged: 0 }
  let bad_lines = 0
  for await (const lines of linesOf(pieces, maxLineLength)) {
    for (const line of lines) {
      const read = reader.take(line)
      if (Array.isArray(read)) {
        bad_lines++
        for (const problem of read) onProblem(detailOf(line.line, problem))
      } else if (read) counts[`${read.kind}s`]++
    }
    onLines(lines.length)
  }
  return { counts, bad_lines }
}
