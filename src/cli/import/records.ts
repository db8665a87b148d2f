import { mostListed, noRecords, type RecordCounts, type RecordWarning } from '../../contract/record.ts'
import type { By } from '../../domain/audit/audit.ts'
import type { Ingest, IngestBatch } from '../../ingest/ingest.ts'
import { detailOf } from '../../ingest/records/problems.ts'
import { maxLineLength, type RecordReader } from '../../ingest/records/read.ts'
import type { StaleRecord } from '../../ingest/records/tally.ts'
import { futureProblems } from '../../ingest/records/updated-at.ts'
import type { ErrorDetail } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { linesOf } from '../../lib/lines.ts'

/** The progress of an import, updated with each batch: it is right also when an error or a signal ends the import. */
export interface ImportState {
  counts: RecordCounts
  /** The first stale records and warnings. */
  stale: StaleRecord[]
  warnings: RecordWarning[]
  /** Every line up to this one is stored. */
  stored_through: number
  /** The problems of the batch that could not be stored, and the number of problems and lines. */
  bad: { details: readonly ErrorDetail[]; problems: number; lines: number } | null
}

export const newImport = (): ImportState => ({
  counts: { ...noRecords },
  stale: [],
  warnings: [],
  stored_through: 0,
  bad: null,
})

interface ImportOptions {
  pieces: AsyncIterable<Buffer>
  ingest: Ingest
  by: By
  state: ImportState
  signal: AbortSignal
  /** Called with the number of records of each stored batch. */
  onBatch(records: number): void
}

/** A batch is one transaction: large enough that the flush to disk costs little, small enough for memory. */
const batchLines = 4000
const batchBytes = 8 * 1024 * 1024

/** Batches at a time: while one is stored, the next is read. */
const maxBatches = 2

/** Stores the lines batch by batch, until their end, the first bad batch or the signal. */
export async function importRecords(options: ImportOptions): Promise<void> {
  const { pieces, ingest, by, state, signal, onBatch } = options
  const open = new Set<IngestBatch>()
  const settled: Promise<boolean>[] = []

  /** Stores a batch after all earlier ones, because the last line about a record wins. */
  async function store(batch: IngestBatch, through: number, before: Promise<boolean>): Promise<boolean> {
    if (!(await before)) return false
    const outcome = await batch.commit().finally(() => close(batch))
    if ('refused' in outcome) {
      state.bad = outcome.refused
      return false
    }
    for (const kind of ['stores', 'items', 'orders', 'unchanged', 'stale'] as const) {
      state.counts[kind] += outcome.counts[kind]
    }
    state.stale = state.stale.concat(outcome.stale).slice(0, mostListed)
    addWarnings(state.warnings, outcome.warnings)
    state.stored_through = through
    onBatch(outcome.records)
    return !signal.aborted
  }

  /** Frees the memory of a batch. */
  function close(batch: IngestBatch): void {
    batch.abandon()
    open.delete(batch)
  }

  try {
    let before = Promise.resolve(true)
    for await (const { parts, lines, through } of batchesOf(pieces)) {
      const batch = ingest.open({ by, after: through - lines })
      open.add(batch)
      for (const part of parts) await batch.push(part)
      before = store(batch, through, before)
      before.catch(() => {}) // awaited below, unless one before it fails
      settled.push(before)
      if (settled.length >= maxBatches && !(await settled.shift())) return
    }
    await before
  } finally {
    // A batch may be committing: its records count as stored.
    await Promise.allSettled(settled)
    open.forEach(close)
  }
}

/** Each email once, as over HTTP: a batch knows only its own. */
function addWarnings(known: RecordWarning[], found: readonly RecordWarning[]): void {
  const textOf = ({ message }: RecordWarning) => message.replace(/^line \d+: /, '')
  const texts = new Set(known.map(textOf))
  known.push(...found.filter(warning => !texts.has(textOf(warning))).slice(0, mostListed - known.length))
}

interface LineBatch {
  parts: Buffer[]
  lines: number
  /** The number of its last line. */
  through: number
}

/** Cuts bytes into batches of whole lines. */
async function* batchesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<LineBatch> {
  let batch: LineBatch = { parts: [], lines: 0, through: 0 }
  let bytes = 0
  /** Bytes of the line that has not ended yet. */
  let pending = 0
  const next = (): LineBatch => {
    const full = batch
    batch = { parts: [], lines: 0, through: full.through }
    bytes = 0
    return full
  }
  for await (const piece of pieces) {
    let start = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, end + 1)) {
      batch.lines++
      batch.through++
      pending = 0
      if (batch.lines < batchLines && bytes + end - start < batchBytes) continue
      batch.parts.push(piece.subarray(start, end + 1))
      start = end + 1
      yield next()
    }
    if (start === piece.length) continue
    const part = piece.subarray(start)
    // Of a line that is too long, only enough is kept to detect that.
    if (pending <= maxLineLength) {
      batch.parts.push(part)
      bytes += part.length
    }
    pending += part.length - Math.max(0, part.lastIndexOf(10) + 1)
  }
  if (batch.parts.length === 0) return
  // The last line may have no newline.
  if (batch.parts.at(-1)?.at(-1) !== 10) {
    batch.lines++
    batch.through++
  }
  yield next()
}

interface CheckOptions {
  pieces: AsyncIterable<Buffer>
  reader: RecordReader
  clock: Clock
  onProblem(detail: ErrorDetail): void
  onLines(count: number): void
}

/** Reads every line as an import does and stores nothing. It does not check that a record's store exists. */
export async function checkRecords(
  options: CheckOptions,
): Promise<{ counts: RecordCounts; bad_lines: number }> {
  const { pieces, reader, clock, onProblem, onLines } = options
  const counts: RecordCounts = { ...noRecords }
  let bad_lines = 0
  for await (const lines of linesOf(pieces, maxLineLength)) {
    for (const line of lines) {
      const read = reader.readLine(line)
      if (read === null) continue
      const problems = Array.isArray(read) ? read : futureProblems(read, clock.now())
      if (problems.length > 0) bad_lines++
      for (const problem of problems) onProblem(detailOf(line.line, problem))
      if (!Array.isArray(read)) counts[`${read.kind}s`]++
    }
    onLines(lines.length)
  }
  return { counts, bad_lines }
}
