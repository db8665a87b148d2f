/** The field tables of spec section 2, copied by hand: the names in the order of the page, each with its type. */

export const orderFields = {
  id: 'string',
  parent_id: 'string',
  order_number: 'string',
  status: 'code',
  created_at: 'datetime',
  updated_at: 'datetime',
  scheduled_at: 'datetime',
  paid_at: 'datetime',
  status_time: 'datetime',
  pay_time: 'datetime',
  source_type: 'code',
  source: 'label',
  fulfillment_type: 'code',
  fulfillment: 'label',
  store_id: 'int64',
  device_id: 'int64',
  device_register_id: 'int32',
  device_name: 'string',
  device_sn: 'string',
  delivery_fee: 'int32',
  service_surcharge_fee: 'int32',
  rounding: 'int32',
  subtotal: 'int32',
  tax_total: 'int32',
  tax_calculated: 'int32',
  tips: 'int32',
  shipping: 'null',
  carts: 'array',
  taxes: 'array',
  payments: 'array',
  promotions: 'array',
} as const

export const cartFields = {
  type: 'code',
  tid: 'int32',
  group_no: 'int32',
  serial_no: 'int32',
  menu_id: 'int64',
  name: 'string',
  code: 'string',
  unit_type: 'code',
  price: 'decimal',
  discount: 'decimal',
  net_price: 'decimal',
  count: 'decimal',
  tax_total: 'decimal',
  tax_calculated: 'decimal',
} as const

export const taxFields = {
  amount: 'decimal',
  rate: 'decimal',
  name: 'string',
  base_subtotal: 'int32',
} as const

export const paymentFields = {
  type: 'code',
  platform: 'code',
  amount: 'int32',
  surcharge: 'int32',
  name: 'string',
  reference: 'string',
} as const

export const promotionFields = {
  type: 'code',
  discount_amount: 'int32',
  name: 'string',
  reference: 'string',
  items: 'array',
} as const

export const promotionItemFields = { type: 'code', cart_no: 'int32', discount_amount: 'int32' } as const

/** Where each table's object stands in an order. */
export const parts = [
  { section: '2.4', where: '', fields: orderFields },
  { section: '2.4.3', where: 'carts', fields: cartFields },
  { section: '2.4.4', where: 'taxes', fields: taxFields },
  { section: '2.4.5', where: 'payments', fields: paymentFields },
  { section: '2.4.6', where: 'promotions', fields: promotionFields },
  { section: '2.4.6', where: 'promotions.items', fields: promotionItemFields },
] as const

/** The object of a part: the order itself, or the first of the list that `where` names. */
export const partOf = (order: any, where: string): any =>
  where === '' ? order : where.split('.').reduce((object, name) => object[name][0], order)

/** A copy of the order with these fields of one of its parts changed. */
export function changed(order: object, where: string, changes: object): any {
  const copy = structuredClone(order)
  Object.assign(partOf(copy, where), changes)
  return copy
}

/** Every field that has this type, with the part it is in. */
export const fieldsOf = (type: string) =>
  parts.flatMap(({ section, where, fields }) =>
    Object.entries(fields)
      .filter(([, fieldType]) => fieldType === type)
      .map(([field]) => ({ section, where, field, path: pathOf(where, field) })),
  )

/** The path that a problem is reported under. */
export const pathOf = (where: string, field: string): string =>
  where === '' ? field : `${where.replaceAll(/\w+/g, '$&[0]')}.${field}`
