import type { RecordCounts } from '../../contract/record.ts'
import { createRecordReader } from '../../ingest/records/read.ts'
import { checkRecords, type ImportState, importRecords } from './records.ts'
import { type ImportSource, openSource } from './source.ts'
import { createProgress, type Progress } from '../progress.ts'
import { byCommand, note, print, withIngest } from '../run.ts'

export interface ImportOptions {
  dryRun?: boolean
  json?: boolean
}

/** As many problems as are read one by one before the file is mended. */
const shownProblems = 20

/** What a shell reports for a command that Ctrl-C ended. */
const interrupted = 130

/** Loads a file, or only checks it, until its end or Ctrl-C, and says what came of it. */
export async function runImport(file: string, options: ImportOptions): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  // Once: a second Ctrl-C ends the process at once.
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    const source = await openSource(file, stop.signal)
    await (options.dryRun ? dryRun(source, options) : load(source, options, stop.signal))
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

async function load(source: ImportSource, { json }: ImportOptions, signal: AbortSignal): Promise<void> {
  const state: ImportState = {
    counts: { stores: 0, items: 0, orders: 0, unchanged: 0 },
    stored_through: 0,
    bad: null,
  }
  const progress = createProgress('import', { ...(source.size && { total: source.size }), unit: 'records' })
  const onBatch = advanceBy(source, progress)
  await withIngest(async ingest => {
    try {
      await importRecords({ pieces: source.pieces, ingest, by: byCommand(), state, signal, onBatch })
    } catch (error) {
      if (!signal.aborted)
        throw new Error(`${(error as Error).message}; ${storedSoFar(state)}`, { cause: error })
    } finally {
      progress.done()
    }
  })
  if (state.bad) throw refused(state, state.bad)
  if (signal.aborted) {
    note(`stopped; ${storedSoFar(state)}; run the same command again to carry on`)
    process.exitCode = interrupted
  }
  print(json, state.counts, summary(state.counts))
}

async function dryRun(source: ImportSource, { json }: ImportOptions): Promise<void> {
  const progress = createProgress('check', { ...(source.size && { total: source.size }), unit: 'lines' })
  const { counts, bad_lines } = await checkRecords({
    pieces: source.pieces,
    reader: createRecordReader(),
    onProblem: ({ message }) => note(message),
    onLines: advanceBy(source, progress),
  })
  progress.done()
  if (bad_lines > 0)
    throw new Error(`${lines(bad_lines)} cannot be stored; nothing was, as this was a dry run`)
  print(json, counts, `${summary(counts)}; nothing was stored, as this was a dry run`)
}

function advanceBy(source: ImportSource, progress: Progress): (count: number) => void {
  let read = 0
  return count => {
    const now = source.bytesRead()
    progress.advance(count, now - read)
    read = now
  }
}

function refused(
  state: ImportState,
  { details, problems, lines: bad }: NonNullable<ImportState['bad']>,
): Error {
  for (const { message } of details.slice(0, shownProblems)) note(message)
  if (problems > shownProblems) note(`and ${problems - shownProblems} more problems`)
  return new Error(`${lines(bad)} cannot be stored, and nothing of that batch was; ${storedSoFar(state)}`)
}

const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

const storedSoFar = ({ stored_through }: ImportState): string =>
  stored_through === 0 ? 'no line is stored' : `lines 1 to ${stored_through} are stored`

const summary = ({ stores, items, orders, unchanged }: RecordCounts): string =>
  `${stores} stores, ${items} items and ${orders} orders; ${unchanged} unchanged`
