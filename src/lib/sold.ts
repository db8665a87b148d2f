/** What one order adds to the sales of an item: how many of its lines, and their counts as units and billionths. */
export interface Sold {
  item_id: bigint
  lines: bigint
  units: bigint
  nanos: bigint
}

/**
 * An order's sales as text: `12:1:2:0;15:1:0:355000000`, an item each. Joining the texts of several orders with `;`
 * gives the text of them all, so an engine can hand over many orders as one value.
 */
export function encodeSold(items: readonly Sold[]): string {
  return items.map(({ item_id, lines, units, nanos }) => `${item_id}:${lines}:${units}:${nanos}`).join(';')
}

export function decodeSold(text: string): Sold[] {
  return entriesOf(text).map(decodeEntry)
}

/** The items of a text of many orders, each once, with what they sold added up. */
export function sumSold(text: string): Sold[] {
  return sumSmall(text) ?? sumAny(text)
}

interface SmallSum {
  lines: number
  units: number
  nanos: number
}

/**
 * Reads digit by digit and adds up as ordinary numbers, many times as fast as `sumAny`. Null for what it cannot read or
 * hold: large and negative numbers, and what is no list of sold items. An id may be large.
 */
function sumSmall(text: string): Sold[] | null {
  const sums = new Map<number | string, SmallSum>()
  const digits = new Digits(text)
  while (digits.at < text.length) {
    const from = digits.at
    const item = digits.upTo(colon)
    const behind = digits.at - 1
    const lines = digits.upTo(colon)
    const units = digits.upTo(colon)
    const nanos = digits.upTo(semicolon)
    if (Number.isNaN(item + lines + units + nanos)) return null
    const id = Number.isSafeInteger(item) ? item : text.slice(from, behind)
    const sum = sums.get(id)
    if (sum) {
      sum.lines += lines
      sum.units += units
      sum.nanos += nanos
    } else sums.set(id, { lines, units, nanos })
  }
  // A text that ends with a `;` lacks an entry.
  if (text !== '' && digits.at === text.length) return null
  // A number that was not exact, or became so, is none of these.
  for (const { lines, units, nanos } of sums.values())
    if (![lines, units, nanos].every(Number.isSafeInteger)) return null
  return [...sums].map(([id, { lines, units, nanos }]) => ({
    ...{ item_id: BigInt(id), lines: BigInt(lines), units: BigInt(units), nanos: BigInt(nanos) },
  }))
}

const [zero, nine, colon, semicolon] = [0x30, 0x39, 0x3a, 0x3b]

class Digits {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The number before this character, over which it steps; NaN for anything else. The text ends as with a `;`. */
  upTo(end: number): number {
    let value = 0
    for (let i = this.at; ; i++) {
      const code = i < this.#text.length ? this.#text.charCodeAt(i) : semicolon
      if (code >= zero && code <= nine) value = value * 10 + code - zero
      else if (code !== end || i === this.at) return Number.NaN
      else {
        this.at = i + 1
        return value
      }
    }
  }
}

function sumAny(text: string): Sold[] {
  const sums = new Map<bigint, Sold>()
  for (const sold of decodeSold(text)) {
    const sum = sums.get(sold.item_id)
    if (sum) {
      sum.lines += sold.lines
      sum.units += sold.units
      sum.nanos += sold.nanos
    } else sums.set(sold.item_id, sold)
  }
  return [...sums.values()]
}

const entriesOf = (text: string): string[] => (text === '' ? [] : text.split(';'))

function decodeEntry(entry: string): Sold {
  const [item_id, lines, units, nanos, ...rest] = entry.split(':')
  if (!item_id || !lines || !units || !nanos || rest.length > 0) {
    throw new Error(`"${entry}" is not a sold item`)
  }
  return { item_id: BigInt(item_id), lines: BigInt(lines), units: BigInt(units), nanos: BigInt(nanos) }
}
