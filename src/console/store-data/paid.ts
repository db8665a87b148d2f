import type { StoredOrder } from '../../domain/store-data/orders.ts'
import { digitsOf } from '../../lib/exact-json.ts'

/** The sum of the payments, in cents. */
export const paidOf = ({ payments }: StoredOrder): number =>
  payments.reduce((sum, { amount }) => sum + Number(amount === null ? 0 : digitsOf(amount)), 0)
