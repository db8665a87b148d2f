/** What a statement may be given. A list becomes an array of PostgreSQL, to be cast where it is used. */
export type Value = string | number | bigint | boolean | null | readonly (string | number | bigint | null)[]

/**
 * Everything travels as text, and the server says of which type it is. A bigint is turned into text here because the
 * driver would otherwise prepare one more statement for each place where a bigint and a null are both possible.
 */
export function encode(value: Value): string | boolean | null {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return storable(value)
  return Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value)
}

const element = (value: string | number | bigint | null): string =>
  typeof value === 'string' ? `"${storable(value).replace(/["\\]/g, '\\$&')}"` : String(value)

/**
 * PostgreSQL's text has no U+0000. Records with one are refused at the door; this is for what anyone may ask for, a
 * name or a token, which is then not found instead of a fault.
 */
const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text)
