/** The sales of one item: the number of order lines, and their quantity in units and billionths. */
export interface Sold {
  item_id: bigint
  lines: bigint
  units: bigint
  nanos: bigint
}

/**
 * An order's sales as text, such as `12:1:2:0;15:1:0:355000000`, one part for each item. Texts joined with `;` are
 * valid again, so an engine can return many orders as one value.
 */
export function encodeSold(items: readonly Sold[]): string {
  return items.map(({ item_id, lines, units, nanos }) => `${item_id}:${lines}:${units}:${nanos}`).join(';')
}

export function decodeSold(text: string): Sold[] {
  return entriesOf(text).map(decodeEntry)
}

/** The sums by item of a text of many orders. */
export function sumSold(text: string): Sold[] {
  return sumSmall(text) ?? sumAny(text)
}

interface SmallSum {
  lines: number
  units: number
  nanos: number
}

/**
 * Adds ordinary numbers, digit by digit, six times as fast as `sumAny`. Null when the text is invalid or a sum would not
 * be exact; an id may be of any size.
 */
function sumSmall(text: string): Sold[] | null {
  const sums = new Map<number | string, SmallSum>()
  const numbers = new Numbers(text)
  while (numbers.at < text.length) {
    const from = numbers.at
    const item = numbers.upTo(colon)
    const id = Number.isSafeInteger(item) ? item : text.slice(from, numbers.at - 1)
    const lines = numbers.upTo(colon)
    const units = numbers.upTo(colon)
    const nanos = numbers.upTo(semicolon)
    if (Number.isNaN(item + lines + units + nanos)) return null
    let sum = sums.get(id)
    if (!sum) sums.set(id, (sum = { lines: 0, units: 0, nanos: 0 }))
    sum.lines = exactSum(sum.lines, lines)
    sum.units = exactSum(sum.units, units)
    sum.nanos = exactSum(sum.nanos, nanos)
  }
  // An entry is missing behind a `;` at the end.
  if (text !== '' && numbers.at === text.length) return null
  for (const { lines, units, nanos } of sums.values()) if (Number.isNaN(lines + units + nanos)) return null
  return [...sums].map(([id, { lines, units, nanos }]) => {
    return { item_id: BigInt(id), lines: BigInt(lines), units: BigInt(units), nanos: BigInt(nanos) }
  })
}

/** NaN when the sum is not exact, and from then on. */
const exactSum = (sum: number, more: number): number =>
  Number.isSafeInteger(more) && Number.isSafeInteger(sum + more) ? sum + more : Number.NaN

const [zero, nine, colon, semicolon, minus] = [0x30, 0x39, 0x3a, 0x3b, 0x2d]

class Numbers {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Reads the number before this character and moves behind it; NaN for anything else. The end of the text counts as
   * `;`. A number beyond 2^53 is rounded, but stays beyond it.
   */
  upTo(end: number): number {
    const negative = this.#text.charCodeAt(this.at) === minus
    const first = negative ? this.at + 1 : this.at
    let value = 0
    for (let i = first; ; i++) {
      const code = i < this.#text.length ? this.#text.charCodeAt(i) : semicolon
      if (code >= zero && code <= nine) {
        value = value * 10 + (code - zero)
        continue
      }
      if (code !== end || i === first) return Number.NaN
      this.at = i + 1
      return negative ? -value : value
    }
  }
}

const sumAny = (text: string): Sold[] => sumByItem(decodeSold(text))

export function sumByItem(sold: readonly Sold[]): Sold[] {
  const sums = new Map<bigint, Sold>()
  for (const { item_id, lines, units, nanos } of sold) {
    const sum = sums.get(item_id)
    if (sum) {
      sum.lines += lines
      sum.units += units
      sum.nanos += nanos
    } else sums.set(item_id, { item_id, lines, units, nanos })
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
