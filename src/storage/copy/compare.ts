import type { CopyTarget, Tallies } from './port.ts'
import { tallyAll } from './mark.ts'
import { differing } from './tally.ts'

/** A store whose rows differ; `store` is '' for rows that belong to no store. */
export interface Difference {
  table: string
  store: string
  source_rows: number
  target_rows: number
}

/** Reads the whole target again. */
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
