import { type Static, Type } from 'typebox'
import { itemStatuses } from './codes.ts'
import { code, int32, int64, nullable, text } from './fields.ts'

/** Spec 2.5 */
export const Item = Type.Object(
  {
    id: int64('Item identifier'),
    status: code(itemStatuses, 'Item status'),
    name: text('Item name'),
    category_name: nullable(text('Item category; may be null')),
    price: int32('Price, cents'),
  },
  {
    $id: 'Item',
    description: 'An inventory item (spec 2.5)',
    examples: [{ id: 1, status: 2, name: 'Flat white', category_name: 'Coffee', price: 450 }],
  },
)

export type Item = Static<typeof Item>
