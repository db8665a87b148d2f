import { addReads, type ReadSums } from '../../port/index.ts'

/** Stores whose rows are summed in one step, some milliseconds; between two steps other requests are answered. */
const step = 100

/** The sums over any number of stores, from the sums over a part of them at a time. */
export async function summedInParts(
  store_ids: readonly bigint[],
  sumOf: (part: readonly bigint[]) => Promise<ReadSums[]>,
): Promise<ReadSums[]> {
  if (store_ids.length <= step) return sumOf(store_ids)
  const sums = new Map<string, ReadSums>()
  for (let i = 0; i < store_ids.length; i += step) {
    for (const row of await sumOf(store_ids.slice(i, i + step))) {
      const key = [row.bucket, row.store_id, row.app_id].join(' ')
      const before = sums.get(key)
      sums.set(key, before ? addReads(before, row) : row)
    }
    await new Promise(setImmediate)
  }
  return [...sums.values()].sort(
    (a, b) =>
      a.bucket - b.bucket ||
      Number((a.store_id ?? 0n) - (b.store_id ?? 0n)) ||
      ((a.app_id ?? '') < (b.app_id ?? '') ? -1 : 1),
  )
}
