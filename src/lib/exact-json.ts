/**
 * JSON whose numbers keep their digits. A number that JavaScript prints as it was written is an ordinary number; any
 * other (9007199254740993, 1.10, 1e3) is a `RawNumber`, which `JSON.stringify` writes back digit for digit.
 */
export interface RawNumber {
  readonly rawJSON: string
}

// TypeScript's library does not describe the raw JSON functions yet.
const raw = JSON as unknown as {
  rawJSON(text: string): RawNumber
}
type SourceReviver = (key: string, value: unknown, context: { source: string }) => unknown

export const rawNumber = raw.rawJSON

/**
 * Matches text with a number that a double may change: 16 or more digits, a trailing zero after the point, an exponent,
 * a value below 1e-6, or a negative zero. A match inside a string only costs time.
 */
const mayLoseDigits =
  /(?:^|[:,[\s])(?:-?(?:\d[\d.]{15}|\d+\.\d*0(?!\d)|\d+(?:\.\d+)?[eE]|0\.00000)|-0(?![\d.]))/

const keepDigits: SourceReviver = (_key, value, { source }) =>
  typeof value === 'number' && String(value) !== source ? raw.rawJSON(source) : value

export function parseExact(text: string): unknown {
  return mayLoseDigits.test(text) ? JSON.parse(text, keepDigits as never) : JSON.parse(text)
}

/** A number of `parseExact`. */
export type ExactNumber = number | RawNumber

/** The number as it was written. */
export const digitsOf = (value: ExactNumber): string =>
  typeof value === 'number' ? String(value) : value.rawJSON
