import { test } from 'node:test'
import type {
  AccessClaim,
  Account,
  App,
  Chunk,
  Cursor,
  ItemRow,
  OrderRow,
  RecordChanges,
  RecordKeys,
  Storage,
  StoreRow,
} from '../../../src/storage/port/index.ts'

export type Open = () => Promise<Storage>

export const lowest = -(2n ** 63n)
export const highest = 2n ** 63n - 1n

/** A test on its own empty database. */
export function check(title: string, open: Open, run: (storage: Storage) => Promise<void>): void {
  test(title, async () => {
    const storage = await open()
    try {
      await run(storage)
    } finally {
      await storage.close()
    }
  })
}

export const account = (id: string, over: Partial<Account> = {}): Account => ({
  id,
  email: `${id}@example.com`,
  role: 'merchant',
  password_hash: 'hash',
  created_at: 1000,
  disabled_at: null,
  ...over,
})

export const app = (id: string, over: Partial<App> = {}): App => ({
  id,
  name: `App ${id}`,
  website: null,
  publisher: null,
  scope: 'integration.store',
  redirect_uris: [],
  public: false,
  owner_id: null,
  created_at: 1000,
  disabled_at: null,
  disabled_by_owner: false,
  logo: null,
  ...over,
})

export const store = (id: bigint, over: Partial<StoreRow> = {}): StoreRow => ({
  id,
  name: `Store ${id}`,
  timezone: 'UTC',
  merchant: null,
  doc: `{"store":${id}}`,
  ...over,
})

export const order = (store_id: bigint, id: string, over: Partial<OrderRow> = {}): OrderRow => ({
  store_id,
  id,
  created_at: 1000,
  updated_at: 1000,
  paid_at: null,
  subtotal: 0,
  sold: '',
  doc: `{"order":"${id}"}`,
  ...over,
})

export const item = (store_id: bigint, id: bigint, over: Partial<ItemRow> = {}): ItemRow => ({
  store_id,
  id,
  updated_at: 1000,
  doc: `{"item":${id}}`,
  ...over,
})

/** The keys of rows, with their stores. */
export function keysOf({
  stores = [],
  items = [],
  orders = [],
}: {
  stores?: readonly { id: bigint }[]
  items?: RecordKeys['items']
  orders?: RecordKeys['orders']
}): RecordKeys {
  const store_ids = new Set([
    ...stores.map(({ id }) => id),
    ...[...items, ...orders].map(row => row.store_id),
  ])
  return { store_ids: [...store_ids], new_store_ids: stores.map(({ id }) => id), items, orders }
}

/** Writes rows as new, without looking at what is there. */
export async function write(
  storage: Storage,
  changes: Partial<Omit<RecordChanges, 'orders'>> & { orders?: readonly OrderRow[] },
): Promise<void> {
  const { stores = [], items = [], orders = [], rollups = [] } = changes
  await storage.records.write(keysOf({ stores, items, orders }), () => ({
    stores,
    items,
    orders: orders.map(row => ({ row, was_created_at: null })),
    rollups,
  }))
}

/** Moves or updates an order that is stored under `was_created_at`. */
export async function rewrite(storage: Storage, row: OrderRow, was_created_at: number): Promise<void> {
  await storage.records.write(keysOf({ orders: [row] }), () => ({
    stores: [],
    items: [],
    orders: [{ row, was_created_at }],
    rollups: [],
  }))
}

/** An app `reader`, linked to the stores, which are created; its claim reads them. */
export async function linked(storage: Storage, store_ids: readonly bigint[]): Promise<AccessClaim> {
  await storage.apps.create(app('reader'), null)
  await write(storage, { stores: store_ids.map(id => store(id)) })
  await storage.authorizations.save(
    {
      id: 'link',
      app_id: 'reader',
      account_id: null,
      scope: 'integration.store integration.order integration.inventory',
    },
    store_ids,
    'add',
    1000,
  )
  return { app_id: 'reader', authorization_id: null, jti: 'token' }
}

/** All entries from a first chunk on. */
export async function readOn(
  first: Chunk | null,
  more: (after: Cursor) => Promise<Chunk>,
): Promise<unknown[]> {
  const read = entries(first)
  let next = first?.next ?? null
  for (let chunks = 1; next; chunks++) {
    if (chunks > 100) throw new Error('a cursor that never ends')
    const chunk = await more(next)
    read.push(...entries(chunk))
    next = chunk.next
  }
  return read
}

/** The entries of a chunk, in order. */
export function entries(chunk: Chunk | null): unknown[] {
  if (chunk === null) throw new Error('no chunk was read')
  return JSON.parse(`[${Buffer.concat(chunk.parts).toString()}]`) as unknown[]
}
