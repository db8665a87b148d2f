/** A whole number of 64 bits: a `bigint` where a double would change it (beyond 2^53). */
export type Int64 = number | bigint

/** How a caller may write a store's id; a string for ids that come from a URL or a database. */
export type StoreId = number | bigint | string

export interface Store {
  id: Int64
  name: string
  timezone: string
}

export interface CartLine {
  type: number
  tid: number | null
  group_no: number | null
  serial_no: number | null
  menu_id: Int64 | null
  name: string | null
  code: string | null
  unit_type: number | null
  price: number | null
  discount: number | null
  net_price: number | null
  count: number
  tax_total: number | null
  tax_calculated: number | null
}

export interface OrderTax {
  amount: number
  rate: number | null
  name: string | null
  base_subtotal: number | null
}

export interface OrderPayment {
  type: number
  platform: number | null
  amount: number
  surcharge: number | null
  name: string | null
  reference: string | null
}

export interface OrderPromotion {
  type: number
  discount_amount: number
  name: string | null
  reference: string | null
  items: { type: number; cart_no: number | null; discount_amount: number }[]
}

/** Times are UTC, `yyyy-MM-dd HH:mm:ss`; amounts are cents. */
export interface Order {
  id: string
  parent_id: string | null
  order_number: string | null
  status: number
  created_at: string
  updated_at: string
  scheduled_at: string | null
  paid_at: string | null
  status_time: string | null
  pay_time: string | null
  source_type: number | null
  source: string | null
  fulfillment_type: number | null
  fulfillment: string | null
  store_id: Int64
  device_id: Int64 | null
  device_register_id: number | null
  device_name: string | null
  device_sn: string | null
  delivery_fee: number | null
  service_surcharge_fee: number | null
  rounding: number | null
  subtotal: number | null
  tax_total: number | null
  tax_calculated: number | null
  tips: number | null
  shipping: unknown
  carts: CartLine[]
  taxes: OrderTax[]
  payments: OrderPayment[]
  promotions: OrderPromotion[]
}

/** `status` 2 is normal, 4 deleted. */
export interface Item {
  id: Int64
  status: number
  name: string
  category_name: string | null
  price: number
}

export type ChangeKind = 'order' | 'item'

/** An order or item in its newest version; `seq` is the `after` that continues behind it. */
export type Change =
  | { seq: number; kind: 'order'; id: string; data: Order }
  | { seq: number; kind: 'item'; id: Int64; data: Item }

/** Store `next` and `feed` in the transaction that stores the entries. */
export interface ChangesPage {
  feed: string
  kinds: ChangeKind[]
  changes: Change[]
  next: number
  more: boolean
}

export interface ReceiptDay {
  day: string
  orders: number
  subtotal: Int64
  digest: string
}

export interface Receipts {
  feed: string
  seq: number
  days: ReceiptDay[]
  /** Only with the scope `integration.inventory`. */
  items?: { count: number; digest: string }
}
