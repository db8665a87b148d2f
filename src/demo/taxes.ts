import type { TaxClass } from './menus/menu.ts'

/** Taxes of the demo's countries, by product class and by eating in or taking away. */

export interface TaxRule {
  name: string
  /** Millionths, so that 8.875 % is a whole number. */
  rate: number
}

export interface Regime {
  /** True when shelf prices include the tax; else it is added (the order's tax_calculated). */
  inclusive: boolean
  here: Readonly<Record<TaxClass, TaxRule>>
  away: Readonly<Record<TaxClass, TaxRule>>
}

const rule = (name: string, percent: number): TaxRule => ({ name, rate: Math.round(percent * 10_000) })

/** A gift card is taxed when it is spent, not when it is sold. */
const gift = rule('Not taxable', 0)

const everywhere = (inclusive: boolean, rules: Omit<Record<TaxClass, TaxRule>, 'gift'>): Regime => ({
  inclusive,
  here: { ...rules, gift },
  away: { ...rules, gift },
})

const gst = rule('GST', 10)
export const australia = everywhere(true, {
  meal: gst,
  cold: gst,
  standard: gst,
  grocery: rule('GST free', 0),
})

const salesTax = rule('Sales tax', 8.875)
export const newYork = everywhere(false, {
  meal: salesTax,
  cold: salesTax,
  standard: salesTax,
  grocery: rule('Exempt', 0),
})

const singaporeGst = rule('GST', 9)
export const singapore = everywhere(true, {
  meal: singaporeGst,
  cold: singaporeGst,
  standard: singaporeGst,
  grocery: singaporeGst,
})

const reduced = rule('MwSt ermäßigt', 7)
export const germany = everywhere(true, {
  meal: reduced,
  cold: reduced,
  standard: rule('MwSt', 19),
  grocery: reduced,
})

const vat = rule('VAT', 20)
const zeroRated = rule('VAT zero-rated', 0)
/** Cold food is taxed when it is eaten in, and not when it is taken away. */
export const britain: Regime = {
  inclusive: true,
  here: { meal: vat, cold: vat, standard: vat, grocery: zeroRated, gift },
  away: { meal: vat, cold: zeroRated, standard: vat, grocery: zeroRated, gift },
}

/** The tax on a base in cents, in whole cents, halves upwards. */
export const taxOn = (base: number, rate: number, inclusive: boolean): number =>
  Math.round((base * rate) / (inclusive ? 1_000_000 + rate : 1_000_000))
