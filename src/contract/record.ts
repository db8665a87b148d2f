import { type Static, Type } from 'typebox'
import { datetime, int64, name, nullable, text } from './fields.ts'
import { Item } from './item.ts'
import { Order } from './order.ts'
import { Store } from './store.ts'

/** Records, one JSON object a line: over HTTP, in `tillgate import` and from the demo. */

export const StoreRecord = Type.Object({
  kind: Type.Literal('store'),
  ...Store.properties,
  name: name('Store name'),
  merchant: nullable(text('Email of the merchant account that owns the store', { maxLength: 254 })),
})

export const ItemRecord = Type.Object({
  kind: Type.Literal('item'),
  store_id: int64('Store identifier'),
  ...Item.properties,
  name: name('Item name'),
  updated_at: datetime('Time the item was updated'),
})

/** An order without `updated_at` was never updated; its `created_at` is stored instead. */
export const OrderRecord = Type.Object({
  kind: Type.Literal('order'),
  ...Order.properties,
  device_name: nullable(name('Device friendly name')),
  updated_at: nullable(Order.properties.updated_at),
})

export type OrderRecord = Static<typeof OrderRecord>

/** The result of one write: changed records by kind, and records that changed nothing. */
export const RecordCounts = Type.Object(
  {
    stores: Type.Integer({ description: 'Stores created or changed' }),
    items: Type.Integer({ description: 'Items created or changed' }),
    orders: Type.Integer({ description: 'Orders created or changed' }),
    unchanged: Type.Integer({ description: 'Records that were identical to what is stored' }),
    stale: Type.Integer({ description: 'Records ignored because a newer updated_at is stored' }),
  },
  { examples: [{ stores: 1, items: 40, orders: 500, unchanged: 0, stale: 0 }] },
)

export type RecordCounts = Static<typeof RecordCounts>

export const noRecords: RecordCounts = { stores: 0, items: 0, orders: 0, unchanged: 0, stale: 0 }

/** The most entries of `stale_records` and of `warnings`. */
export const mostListed = 100

const StaleRecord = Type.Object(
  {
    line: Type.Integer(),
    kind: Type.Union([Type.Literal('item'), Type.Literal('order')]),
    id: Type.Union([int64('Of an item'), Type.String({ description: 'Of an order' })]),
    updated_at: datetime('Of the record'),
    stored_updated_at: datetime('Of what is stored'),
  },
  { $id: 'StaleRecord' },
)

const RecordWarning = Type.Object(
  {
    line: Type.Integer(),
    field: Type.String(),
    code: Type.Literal('merchant_unknown', { description: 'No merchant has this email' }),
    message: Type.String(),
  },
  { $id: 'RecordWarning' },
)

export type RecordWarning = Static<typeof RecordWarning>

/** The counts, with the records and fields that a sender may want to look at. */
export const RecordResult = Type.Object(
  {
    ...RecordCounts.properties,
    stale_records: Type.Optional(
      Type.Array(StaleRecord, { description: `The first ${mostListed} stale records; left out without any` }),
    ),
    warnings: Type.Optional(
      Type.Array(RecordWarning, {
        description: `What was stored but is likely a mistake, at most ${mostListed}; left out without any`,
      }),
    ),
  },
  { $id: 'RecordResult', examples: [{ stores: 1, items: 40, orders: 500, unchanged: 0, stale: 0 }] },
)
