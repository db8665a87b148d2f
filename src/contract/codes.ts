/** The code tables of spec 2.4, 3.1 and 3.2. */

/** 2.4.1; the delivery platforms are numbered, as in the spec. */
export const sources = {
  1: 'Offline',
  2: 'Kiosk',
  3: 'Caller Id',
  4: 'Pay by Link',
  11: 'Offline Pre-Order',
  30: 'QR Table',
  35: 'QR Ordering',
  36: 'Venue Ordering',
  40: 'Online',
  42: 'Online Pre-Order',
  48: 'Online Gift Card',
  53: 'Third-party delivery platform (first of three)',
  54: 'Third-party delivery platform (second of three)',
  55: 'Third-party delivery platform (third of three)',
} as const

/** 2.4.2 */
export const fulfillments = {
  1: 'Dine In',
  2: 'Table Service',
  3: 'Take Away',
  4: 'Delivery',
  5: 'Third Party',
} as const

/** 2.4.3 */
export const itemTypes = {
  2: 'Product',
  21: 'Product Variant',
  22: 'Modifier',
  101: 'Set Menu (group)',
  102: 'Combo (group)',
} as const

export const unitTypes = { 0: 'PCS', 1: 'KG', 5: 'G', 11: 'L', 15: 'ML' } as const

/** 2.4.5 */
export const paymentTypes = {
  1: 'Cash',
  2: 'Debit Card',
  3: 'Credit Card',
  6: 'Pre-Payment',
  8: 'Member Account',
  20: 'Member Point',
  22: 'Voucher',
  23: 'Voucher Ext',
  26: 'Gift Card',
} as const

const externalProcessor = 'External payment processor'
const externalPlatform = 'External delivery or ordering platform'

export const paymentPlatforms = {
  0: 'Local',
  1: externalProcessor,
  2: externalProcessor,
  3: externalProcessor,
  4: externalProcessor,
  6: 'Deposit',
  7: externalProcessor,
  9: externalProcessor,
  41: externalPlatform,
  42: externalPlatform,
  43: externalPlatform,
  44: externalPlatform,
  45: externalPlatform,
  46: externalPlatform,
  47: externalPlatform,
  48: externalPlatform,
  49: externalPlatform,
  100: 'Cash',
  101: 'Own card terminal payment',
  102: 'Own online payment',
} as const

/** 2.4.6 */
export const promotionTypes = {
  20: 'Point',
  21: 'Discount',
  22: 'Voucher',
  23: 'Voucher Ext',
  24: 'Coupon',
  25: 'Promo Code',
} as const

/** 3.1 */
export const orderStatuses = { 2: 'paid', 3: 'refunded', 11: 'partial refunded' } as const

/** 3.2 */
export const itemStatuses = { 2: 'normal', 4: 'deleted' } as const
