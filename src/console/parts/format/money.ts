import { digitsOf, type ExactNumber } from '../../../lib/exact-json.ts'

/** Prices per unit may have fractions of a cent. */
const amount = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })

/** `1,234.50` of cents. The data names no currency. */
export const formatMoney = (cents: ExactNumber | null): string =>
  cents === null ? '–' : amount.format(Number(digitsOf(cents)) / 100)

/** `1234.5`: the same as a number, for a file. */
export const plainMoney = (cents: ExactNumber | null): number | null =>
  cents === null ? null : Number(digitsOf(cents)) / 100

/** `2`, `0.35`: a quantity. */
export const formatQuantity = (count: ExactNumber): string => digitsOf(count)
