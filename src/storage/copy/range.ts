import type { CopyTarget, Range, Tallies } from './port.ts'
import { batchesOf } from './ranges.ts'
import { keyOf } from '../shared/tables.ts'
import { differing } from './tally.ts'
import type { Key, Row, Table } from '../shared/table.ts'

/** Changes to the target, in rows. */
export interface Synced {
  written: number
  removed: number
}

/** `changes` skips the rows that the target does not have yet. */
export type Pass = 'changes' | 'all'

/** Makes the target's range equal to these rows; writes only what differs. */
export async function syncRange(
  target: CopyTarget,
  table: Table,
  { range, rows, tally, pass }: { range: Range; rows: readonly Row[]; tally: Tallies; pass: Pass },
): Promise<Synced> {
  // One more than expected, to notice surplus rows.
  const there = await target.tally(table, range, rows.length + 1)
  if (differing(tally, there).length === 0) return { written: 0, removed: 0 }

  const wanted = new Map(rows.map(row => [nameOf(table, row), row]))
  const changed = new Map<string, Row>()
  let removed = 0
  for await (const found of batchesOf(target, table, range)) {
    const gone: Key[] = []
    for (const row of found) {
      const name = nameOf(table, row)
      const should = wanted.get(name)
      if (!should) gone.push(keyOf(table, row))
      else if (same(row, should)) wanted.delete(name)
      else changed.set(name, should)
    }
    if (gone.length > 0) await target.write(table, [], gone)
    removed += gone.length
  }
  const written = [...(pass === 'all' ? wanted : changed).values()]
  if (written.length > 0) await target.write(table, written, [])
  return { written: written.length, removed }
}

/** A text that is unique to the key. */
const nameOf = (table: Table, row: Row): string => JSON.stringify(keyOf(table, row))

const same = (one: Row, other: Row): boolean => one.every((value, column) => value === other[column])
