import type { CopyTarget, Tallies } from './port.ts'
import { tallyAll } from './mark.ts'
import { differing } from './tally.ts'

/** Rows of a store that are not the same on both sides; `store` is '' for rows that belong to none. */
export interface Difference {
  table: string
  store: string
  source_rows: number
  target_rows: number
}

/** Reads all of the target again. */
export async function compare(
  wanted: ReadonlyMap<string, Tallies>,
  target: CopyTarget,
): Promise<Difference[]> {
  const found = await tallyAll(target)
  return [...wanted].flatMap(([table, here]) => {
    const there: Tallies = found.get(table) ?? new Map()
    return differing(here, there).map(store => ({
      table,
      store,
      source_rows: here.get(store)?.rows ?? 0,
      target_rows: there.get(store)?.rows ?? 0,
    }))
  })
}
