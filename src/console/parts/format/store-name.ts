import type { MerchantStore } from '../../../storage/port/index.ts'

type NamedStore = Pick<MerchantStore, 'id' | 'name'>

/** Names one of these stores: by its name alone, or with its id if another one has the same name. */
export type StoreNames = (store: NamedStore) => string

export function storeNames(stores: readonly NamedStore[]): StoreNames {
  let byName: Map<string, NamedStore[]> | null = null
  return ({ id, name }) => {
    // When the first one is named: of many stores often none is.
    byName ??= Map.groupBy(stores, store => store.name)
    return (byName.get(name)?.length ?? 0) > 1 ? `${name} (store ${id})` : name
  }
}

const listFormat = new Intl.ListFormat('en')

/** Up to five stores by name, more as a count. */
export const storesInWords = (stores: readonly NamedStore[], names: StoreNames): string =>
  stores.length > 5 ? `${stores.length} of your stores` : listFormat.format(stores.map(names))
