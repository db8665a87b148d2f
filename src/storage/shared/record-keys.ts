import type { RecordKeys } from '../port/index.ts'

/** The ids of all stores in a batch. */
export const storesOf = ({ store_ids, items, orders, locked = [] }: RecordKeys): bigint[] => {
  const ids = new Set<bigint>(store_ids)
  for (const { store_id } of items) ids.add(store_id)
  for (const { store_id } of orders) ids.add(store_id)
  for (const id of locked) ids.add(id)
  return sortedIds(ids)
}

/** Unique, and in the order in which every transaction locks stores. */
export const sortedIds = (ids: Iterable<bigint>): bigint[] =>
  [...new Set(ids)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
