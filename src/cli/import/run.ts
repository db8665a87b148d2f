import type { RecordCounts } from '../../contract/record.ts'
import { createRecordReader } from '../../ingest/records/read.ts'
import { resultOf } from '../../ingest/result.ts'
import { systemClock as clock } from '../../lib/clock.ts'
import { printable } from '../../lib/printable.ts'
import { createStopRequest, type StopRequest } from '../../lib/stop-request.ts'
import { checkRecords, type ImportState, importRecords, newImport } from './records.ts'
import { type ImportSource, openSource } from './source.ts'
import { DetailedError, exitCodes } from '../shared/errors.ts'
import { createProgress, type Progress } from '../shared/progress.ts'
import { byCommand, withIngest } from '../shared/command.ts'
import { note, print } from '../shared/output.ts'

export interface ImportOptions {
  dryRun?: boolean
  json?: boolean
}

/** Problems that are printed one by one. */
const shownProblems = 20

/** Loads a file, or only checks it, until its end or Ctrl-C, and prints the result. */
export async function runImport(file: string, options: ImportOptions): Promise<void> {
  const stop = createStopRequest()
  try {
    const source = await openSource(file, stop.signal)
    if (options.dryRun) stop.listen()
    await (options.dryRun ? dryRun(source, options) : load(source, options, stop))
  } finally {
    stop.release()
  }
}

async function load(source: ImportSource, { json }: ImportOptions, stop: StopRequest): Promise<void> {
  const { signal } = stop
  const state = newImport()
  const progress = createProgress('import', { ...(source.size && { total: source.size }), unit: 'records' })
  const onBatch = advanceBy(source, progress)
  await withIngest(async ingest => {
    stop.listen()
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
    note(`stopped; ${storedSoFar(state)}; run the same command again to continue`)
    process.exitCode = exitCodes.interrupted
  }
  for (const { message } of state.warnings) note(printable(message))
  print(json, resultOf(state), summary(state.counts))
}

async function dryRun(source: ImportSource, { json }: ImportOptions): Promise<void> {
  const progress = createProgress('check', { ...(source.size && { total: source.size }), unit: 'lines' })
  const problems: string[] = []
  const { counts, bad_lines } = await checkRecords({
    pieces: source.pieces,
    reader: createRecordReader(),
    clock,
    // All of them as they are found; in the one object of --json as many as an import names.
    onProblem({ message }) {
      if (!json) note(message)
      else if (problems.length < shownProblems) problems.push(message)
    },
    onLines: advanceBy(source, progress),
  })
  progress.done()
  if (bad_lines > 0)
    throw new DetailedError(
      `${lines(bad_lines)} cannot be stored; this was a dry run, so nothing was stored`,
      problems,
    )
  print(json, counts, `${summary(counts)}; this was a dry run, so nothing was stored`)
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
  const shown = details.slice(0, shownProblems).map(({ message }) => message)
  if (problems > shownProblems) shown.push(`and ${problems - shownProblems} more problems`)
  return new DetailedError(
    `${lines(bad)} cannot be stored, so nothing from that batch was stored; ${storedSoFar(state)}`,
    shown,
  )
}

const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

const storedSoFar = ({ stored_through }: ImportState): string =>
  stored_through === 0 ? 'no lines are stored' : `lines 1 to ${stored_through} are stored`

const summary = ({ stores, items, orders, unchanged, stale }: RecordCounts): string =>
  `${stores} stores, ${items} items and ${orders} orders; ${unchanged} unchanged, ${stale} stale`
