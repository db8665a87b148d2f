import { Type } from 'typebox'
import { Item } from './item.ts'
import { Order } from './order.ts'
import { schemaReference } from './reference.ts'

const seq = (description: string) => Type.Integer({ format: 'int64', description })
const feed = Type.String({
  description:
    'Opaque: stands for one history of the server’s data and for the kinds. Store it, and send it with the next request',
})
const digest = Type.String({
  pattern: '^[0-9a-f]{32}$',
  description:
    'For each entity the first 16 bytes of SHA-256 over the text `id:seq` as a big-endian number, summed modulo 2^128',
})

const change = <K extends string>(
  $id: string,
  { kind, id, data }: { kind: K; id: Type.TSchema; data: Type.TSchema },
) =>
  Type.Object(
    {
      seq: seq(
        'The number of the change; it rises within the store, with gaps, and compares only within one feed',
      ),
      kind: Type.Literal(kind),
      id,
      data,
    },
    { $id },
  )

const Change = Type.Union(
  [
    change('OrderChange', { kind: 'order', id: Type.String(), data: Order }),
    change('ItemChange', { kind: 'item', id: Type.Integer({ format: 'int64' }), data: Item }),
  ],
  {
    $id: 'Change',
    discriminator: {
      propertyName: 'kind',
      mapping: { order: schemaReference('OrderChange'), item: schemaReference('ItemChange') },
    },
  },
)

export const Changes = Type.Object(
  {
    feed,
    kinds: Type.Array(Type.String({ enum: ['order', 'item'] })),
    changes: Type.Array(Change),
    next: seq('Send it as `after` of the next request, together with `feed`'),
    more: Type.Boolean({
      description:
        'Whether `count` has cut the page off: if so, request the next page at once, which may be empty',
    }),
  },
  { $id: 'Changes' },
)

export const Head = Type.Object(
  {
    store_id: Type.Integer({ format: 'int64' }),
    seq: seq('The newest number of the store; 0 when nothing is stored'),
  },
  { $id: 'Head' },
)

const Receipt = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'The UTC day of the orders’ `created_at`' }),
    orders: Type.Integer({ description: 'How many orders there are' }),
    subtotal: Type.Integer({ format: 'int64', description: 'The sum of their `subtotal`, null as 0' }),
    digest,
  },
  { $id: 'Receipt', description: 'What the server holds for one day' },
)

export const Receipts = Type.Object(
  {
    feed,
    seq: seq('The store’s newest number at this moment'),
    days: Type.Array(Receipt),
    items: Type.Optional(
      Type.Object({ count: Type.Integer(), digest }, { description: 'With `integration.inventory` only' }),
    ),
  },
  { $id: 'Receipts' },
)
