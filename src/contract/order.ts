import { type Static, Type } from 'typebox'
import {
  fulfillments,
  itemTypes,
  orderStatuses,
  paymentPlatforms,
  paymentTypes,
  promotionTypes,
  sources,
  unitTypes,
} from './codes.ts'
import { code, datetime, decimal, int32, int64, nullable, text } from './fields.ts'
import { orderExample } from './order.example.ts'

/**
 * Spec 2.4, every field in the spec's order. A pushed record must have each field that is not nullable; the others may
 * be left out and are null. Answers always have every key. How to add a field: docs/record-readers.md.
 */

/** Larger than any real order, and small enough that sums of sales fit int64. */
const maxQuantity = 1_000_000_000

/** 2.4.3 */
const CartItem = Type.Object(
  {
    type: code(itemTypes, 'Item type'),
    tid: nullable(int32('Item id, unique for the line within the cart')),
    group_no: nullable(
      int32('Group number: 0 for non-group items, else the same for all items of a set menu or combo'),
    ),
    serial_no: nullable(int32('Display or processing order within the same group')),
    menu_id: nullable(int64('The inventory item that the line sells')),
    name: nullable(text('Display name')),
    code: nullable(text('Product code')),
    unit_type: nullable(code(unitTypes, 'Unit type')),
    price: nullable(decimal('Original unit price before any discount, cents')),
    discount: nullable(decimal('Item discount per unit, cents; zero when none')),
    net_price: nullable(decimal('Net unit price after item discount and order discount, cents')),
    count: decimal('Quantity ordered; fractions allowed', maxQuantity),
    tax_total: nullable(decimal('Tax amount for the unit item, cents')),
    tax_calculated: nullable(decimal('Calculated tax for a tax-excluded item, cents')),
  },
  { $id: 'CartItem' },
)

/** 2.4.4 */
const Tax = Type.Object(
  {
    amount: decimal('Total tax amount for this tax category, cents'),
    rate: nullable(decimal('Tax rate as a decimal')),
    name: nullable(text('Human-readable tax name')),
    base_subtotal: nullable(int32('Subtotal used as the base for this tax, cents')),
  },
  { $id: 'Tax' },
)

/** 2.4.5 */
const Payment = Type.Object(
  {
    type: code(paymentTypes, 'Payment type'),
    platform: nullable(code(paymentPlatforms, 'Payment platform')),
    amount: int32('Payment amount, cents'),
    surcharge: nullable(int32('Additional fee for this payment method, cents')),
    name: nullable(text('Payment method name')),
    reference: nullable(text('Transaction or reference identifier from the payment processor')),
  },
  { $id: 'Payment' },
)

/** 2.4.6 */
const PromotionItem = Type.Object(
  {
    type: code(itemTypes, 'Item type'),
    cart_no: nullable(int32('The cart line: serial_no when group_no is 0, group_no for a group item')),
    discount_amount: int32('Total discount for that cart item, cents'),
  },
  { $id: 'PromotionItem' },
)

const Promotion = Type.Object(
  {
    type: code(promotionTypes, 'Promotion type'),
    discount_amount: int32('Total discount amount, cents'),
    name: nullable(text('Promotion name')),
    reference: nullable(text('Reference id, for example a voucher code')),
    items: Type.Array(PromotionItem, {
      description: 'Item-level applications; empty for an order-level discount',
    }),
  },
  { $id: 'Promotion' },
)

export const Order = Type.Object(
  {
    id: text('Order identifier', { minLength: 1, maxLength: 255 }),
    parent_id: nullable(text('Identifier of the parent order', { maxLength: 255 })),
    order_number: nullable(text('Order number')),
    status: code(orderStatuses, 'Order status'),
    created_at: datetime('Time the order was created'),
    updated_at: datetime('Time the order was updated'),
    scheduled_at: nullable(datetime('Scheduled time of a pre-order')),
    paid_at: nullable(datetime('Time the order was paid or refunded')),
    status_time: nullable(datetime('Time of the last status change')),
    pay_time: nullable(datetime('Time of the first payment')),
    source_type: nullable(code(sources, 'Source type')),
    source: nullable(text('Source label matching source_type')),
    fulfillment_type: nullable(code(fulfillments, 'Fulfillment type')),
    fulfillment: nullable(text('Fulfillment label matching fulfillment_type')),
    store_id: int64('Store identifier'),
    device_id: nullable(int64('Device identifier')),
    device_register_id: nullable(int32('Register identifier')),
    device_name: nullable(text('Device friendly name')),
    device_sn: nullable(text('Device serial number')),
    delivery_fee: nullable(int32('Delivery fee, cents')),
    service_surcharge_fee: nullable(int32('Surcharge fee, cents')),
    rounding: nullable(int32('Rounding, cents')),
    subtotal: nullable(int32('Subtotal, cents')),
    tax_total: nullable(int32('Total tax amount, cents')),
    tax_calculated: nullable(int32('Tax calculated for tax-excluded items, cents')),
    tips: nullable(int32('Tips, cents')),
    shipping: Type.Null({ description: 'Always null (spec 2.4 shows no other value)' }),
    carts: Type.Array(CartItem, { description: 'Line items' }),
    taxes: Type.Array(Tax, { description: 'Tax breakdown' }),
    payments: Type.Array(Payment, { description: 'Payments' }),
    promotions: Type.Array(Promotion, { description: 'Promotions applied' }),
  },
  { $id: 'Order', description: 'An order (spec 2.4)', examples: [orderExample] },
)

export type Order = Static<typeof Order>
