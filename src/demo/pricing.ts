import { type Line, lineCharge } from './cart.ts'
import { shares } from './shares.ts'
import { type TaxRule, taxOn } from './taxes.ts'

/**
 * Spreads an order's discount and taxes over its lines so that the lines, which have two decimals, add up to the order's
 * whole cents exactly. A line of n units changes in steps of n hundredths of a cent, so each line gets the step nearest
 * to its share, and the anchor, a line of one piece, gets the remainder.
 */

/** The lines under one tax. */
export interface TaxGroup {
  rule: TaxRule
  lines: Line[]
  /** Cents after item discounts. */
  charge: number
  /** The most expensive line of one piece; without one (null) nothing is spread. */
  anchor: Line | null
}

export interface OrderTax {
  rule: TaxRule
  /** The amount of the group after every discount, cents. */
  base: number
  amount: number
}

export function taxGroups(lines: readonly Line[]): TaxGroup[] {
  const groups = new Map<TaxRule, TaxGroup>()
  for (const line of lines) {
    let group = groups.get(line.rule)
    if (!group) {
      group = { rule: line.rule, lines: [], charge: 0, anchor: null }
      groups.set(line.rule, group)
    }
    group.lines.push(line)
    group.charge += lineCharge(line)
    const single = line.units === 1 && line.per === 1
    if (single && lineCharge(line) > (group.anchor ? lineCharge(group.anchor) : 0)) group.anchor = line
  }
  return [...groups.values()]
}

/** Spreads an order discount over the lines; sets the taxes of the lines and returns those of the order. */
export function priceLines(groups: readonly TaxGroup[], discount: number, inclusive: boolean): OrderTax[] {
  const discounts = shares(
    discount,
    groups.map(group => (group.anchor ? group.charge : 0)),
  )
  return groups.map((group, index) => {
    const off = discounts[index] ?? 0
    const charges = group.lines.map(line => lineCharge(line) * 100)
    const taken = spread(off * 100, group, charges)
    const base = group.charge - off
    const amount = taxOn(base, group.rule.rate, inclusive)
    const taxes = spread(
      amount * 100,
      group,
      charges.map((charge, n) => charge - (taken[n] ?? 0)),
    )
    group.lines.forEach((line, n) => {
      line.order_discount = perUnit(taken[n] ?? 0, line)
      line.tax = perUnit(taxes[n] ?? 0, line)
    })
    return { rule: group.rule, base, amount }
  })
}

const perUnit = (hundredths: number, line: Line): number => (hundredths / line.units) * line.per

/** Hundredths of a cent for each line, in proportion to the weights. */
function spread(total: number, { lines, anchor }: TaxGroup, weights: readonly number[]): number[] {
  if (total === 0) return lines.map(() => 0)
  const sum = weights.reduce((a, b) => a + b, 0)
  let left = total
  const parts = lines.map((line, n) => {
    if (line === anchor) return 0
    const part = Math.round((total * (weights[n] ?? 0)) / sum / line.units) * line.units
    left -= part
    return part
  })
  parts[lines.indexOf(anchor as Line)] = left
  return parts
}
