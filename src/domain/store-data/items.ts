import { digitsOf, type ExactNumber, parseExact } from '../../lib/exact-json.ts'
import { fold } from '../../lib/fold.ts'
import { minInt64 } from '../../lib/int64.ts'
import type { Cursor, Storage } from '../../storage/port/index.ts'
import type { Reader } from '../reading/access.ts'
import { createItemList } from '../reading/items.ts'
import { batches, type Found, scan, type Source } from './scan.ts'

/** An item as the API sends it (contract/item.ts). */
export interface StoredItem {
  id: ExactNumber
  status: number
  name: string
  category_name: string | null
  price: ExactNumber
}

/** Items of one read when names are looked up. */
const batch = 200

/** The items of a store for people: the list of the API, with search. */
export function createStoreItems({ storage }: { storage: Storage }) {
  const list = createItemList(storage)

  const of = (reader: Reader, store_id: bigint): Source<StoredItem> => ({
    read: (behind, count) => list(reader, { store_id, index: 0, count, behind }, null),
    keyOf: ({ id }) => [BigInt(digitsOf(id))],
  })

  return {
    /** By id. The text is part of a name or category, or a whole id; empty: all items. */
    page(
      reader: Reader,
      {
        store_id,
        text,
        behind,
        limit,
      }: { store_id: bigint; text: string; behind: Cursor | undefined; limit: number },
    ): Promise<Found<StoredItem>> {
      const part = fold(text)
      const matches = ({ id, name, category_name }: StoredItem): boolean =>
        part === '' ||
        digitsOf(id) === text ||
        [name, category_name].some(value => fold(value ?? '').includes(part))
      return scan(of(reader, store_id), { matches }, { behind, limit })
    },

    /** All items, in batches. */
    async *all(reader: Reader, store_id: bigint) {
      for await (const { entries } of batches(of(reader, store_id))) yield entries
    },

    /** The names of these items. A read gives the first one that is not known yet and the items behind it. */
    async names(reader: Reader, store_id: bigint, ids: readonly bigint[]): Promise<Map<bigint, string>> {
      const names = new Map<bigint, string>()
      let left = new BigInt64Array(ids).sort()
      while (left.length > 0) {
        const [first = minInt64] = left
        const behind = first === minInt64 ? undefined : [first - 1n]
        const { page } = await list(reader, { store_id, index: 0, count: batch, behind }, null)
        const items = parseExact(`[${Buffer.concat(page?.first ?? []).toString()}]`) as StoredItem[]
        const read = new Map(items.map(({ id, name }) => [BigInt(digitsOf(id)), name]))
        for (const id of left) {
          const name = read.get(id)
          if (name !== undefined) names.set(id, name)
        }
        const last = [...read.keys()].at(-1)
        if (last === undefined || read.size < batch) break
        left = left.filter(id => id > last)
      }
      return names
    },
  }
}

export type StoreItems = ReturnType<typeof createStoreItems>
