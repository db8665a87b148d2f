/** An integer of 16 digits or more: a double may change it. A match in a string only costs time. */
const longInteger = /\d{16}/

/** Strings, which stay as they are, and integers of 16 digits or more without fraction or exponent. */
const stringOrLongInteger = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}(?![\d.eE])/g

/**
 * JSON whose integers keep their digits: one beyond 2^53 becomes a `bigint`. The reviver's `source` would do the same,
 * but Node 20 and some browsers lack it.
 */
export function parseExact(text: string): unknown {
  if (!longInteger.test(text)) return JSON.parse(text)
  // Random, so that no string of the text can pass for a number.
  const mark = crypto.randomUUID()
  let found = false
  const marked = text.replace(stringOrLongInteger, (token, at: number) => {
    if (token[0] === '"' || Number.isSafeInteger(Number(token)) || /[\d.eE]/.test(text[at - 1] ?? ''))
      return token
    found = true
    return `"${mark}${token}"`
  })
  if (!found) return JSON.parse(text)
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  )
}

/** The same the other way: a `bigint` is written as a number. */
export function stringifyExact(value: unknown): string {
  const mark = crypto.randomUUID()
  let found = false
  const text = JSON.stringify(value, (_key, each) => {
    if (typeof each !== 'bigint') return each
    found = true
    return `${mark}${each}`
  })
  return found ? text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1') : text
}
