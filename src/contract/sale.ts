import { type Static, Type } from 'typebox'
import { int64 } from './fields.ts'

/** Spec 2.6. The spec types count as int8; a busy day sells more than 127, so it is never wrapped or capped. */
export const Sale = Type.Object(
  {
    item_id: int64('Item identifier'),
    count: int64('Quantity sold, rounded to a whole number'),
  },
  {
    $id: 'Sale',
    description: 'How many of one item were sold in the window (spec 2.6)',
    examples: [{ item_id: 1, count: 214 }],
  },
)

export type Sale = Static<typeof Sale>
