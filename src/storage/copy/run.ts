import { compare, type Difference } from './compare.ts'
import { assertTarget, markFinished, markUnfinished } from './mark.ts'
import { inParallel } from './parallel.ts'
import { type CopySource, type CopyTarget, parallelWrites, type Tallies, type Tally } from './port.ts'
import { syncRange, type Pass } from './range.ts'
import { rangesOf } from './ranges.ts'
import { tables } from '../shared/tables.ts'
import { addAll, tallyOf } from './tally.ts'
import type { Table } from '../shared/table.ts'

export interface CopyOptions {
  /** Compares and writes nothing. */
  check?: boolean
  /** Stops between two batches. */
  signal?: AbortSignal
  /** Called with the number of source rows processed since the last call. */
  onRows?(rows: number): void
}

export interface Copied {
  /** Rows of the source, by table. */
  rows: Readonly<Record<string, number>>
  written: number
  removed: number
  differences: Difference[]
}

export async function countRows(source: CopySource): Promise<number> {
  let total = 0
  for (const table of tables) total += await source.count(table)
  return total
}

/**
 * Makes the target equal to the source, then compares both, store by store. After a stop or a failure it can run again
 * and skips the rows that are already equal. Null when it was stopped.
 */
export async function copyAll(
  source: CopySource,
  target: CopyTarget,
  options: CopyOptions = {},
): Promise<Copied | null> {
  const { check = false, signal = new AbortController().signal, onRows = () => {} } = options
  let written = 0
  let removed = 0

  /** Reads the table from the source, writes the differences to the target, and returns the source's tallies. */
  async function sync(table: Table, pass: Pass | null, advance: (rows: number) => void): Promise<Tallies> {
    const total = new Map<string, Tally>()
    const ranges = inParallel(parallelWrites)
    try {
      for await (const { rows, range } of rangesOf(source, table)) {
        if (signal.aborted) break
        const tally = tallyOf(table, rows)
        addAll(total, tally)
        await ranges.start(async () => {
          if (pass) {
            const done = await syncRange(target, table, { range, rows, tally, pass })
            written += done.written
            removed += done.removed
          }
          advance(rows.length)
        })
      }
    } finally {
      await ranges.ended()
    }
    return total
  }

  if (!check) {
    await assertTarget(source, target)
    await markUnfinished(target)
  }
  const tallies = new Map<string, Tallies>()
  for (const table of tables) {
    if (table.changesFirst && !check) await sync(table, 'changes', () => {})
    tallies.set(table.name, await sync(table, check ? null : 'all', onRows))
    if (signal.aborted) return null
  }
  if (!check) await target.finish()
  const differences = await compare(tallies, target)
  if (!check && differences.length === 0) await markFinished(target, tallies)
  return { rows: countOf(tallies), written, removed, differences }
}

const countOf = (tallies: ReadonlyMap<string, Tallies>): Record<string, number> =>
  Object.fromEntries(
    [...tallies].map(([name, stores]) => [
      name,
      [...stores.values()].reduce((sum, { rows }) => sum + rows, 0),
    ]),
  )
