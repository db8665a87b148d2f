/** A parameter of a statement. A list becomes a PostgreSQL array, which the statement casts. */
export type Value = string | number | bigint | boolean | null | readonly (string | number | bigint | null)[]

/**
 * All values are sent as text, and the server infers their types. The driver would infer a type from a bigint, and
 * prepare a second statement for each parameter that is sometimes a bigint and sometimes null.
 */
export function encode(value: Value): string | boolean | null {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return storable(value)
  return Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value)
}

const element = (value: string | number | bigint | null): string =>
  typeof value === 'string' ? `"${storable(value).replace(/["\\]/g, '\\$&')}"` : String(value)

/**
 * PostgreSQL's text cannot hold U+0000. Validation rejects records that contain it; a name or token in a query reaches
 * this function, and is then not found instead of causing an error.
 */
const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text)
