import { type Static, Type } from 'typebox'
import { datetime, int64, nullable, text } from './fields.ts'
import { Item } from './item.ts'
import { Order } from './order.ts'
import { Store } from './store.ts'

/** Records, one JSON object a line: over HTTP, in `tillgate import` and from the demo. */

export const StoreRecord = Type.Object({
  kind: Type.Literal('store'),
  ...Store.properties,
  merchant: nullable(text('Email of the merchant account that owns the store', { maxLength: 254 })),
})

export const ItemRecord = Type.Object({
  kind: Type.Literal('item'),
  store_id: int64('Store identifier'),
  ...Item.properties,
  updated_at: datetime('Time the item was updated'),
})

/** An order without `updated_at` was never updated; its `created_at` is stored instead. */
export const OrderRecord = Type.Object({
  kind: Type.Literal('order'),
  ...Order.properties,
  updated_at: nullable(Order.properties.updated_at),
})

export type OrderRecord = Static<typeof OrderRecord>

/** The result of one write: changed records by kind, and records that were identical to or older than the stored ones. */
export const RecordCounts = Type.Object(
  {
    stores: Type.Integer({ description: 'Stores created or changed' }),
    items: Type.Integer({ description: 'Items created or changed' }),
    orders: Type.Integer({ description: 'Orders created or changed' }),
    unchanged: Type.Integer({ description: 'Records that were identical to, or older than, what is stored' }),
  },
  { examples: [{ stores: 1, items: 40, orders: 500, unchanged: 0 }] },
)

export type RecordCounts = Static<typeof RecordCounts>
