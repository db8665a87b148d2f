import type { Value } from './values.ts'

const separator = '\u001e'
const absent = '\u001f'

/**
 * Texts as a parameter at this place, and what stands for their array in the statement. They go as one text to be cut
 * by the server, unless one of them is in the way: to write an array, each quote of a document is escaped and read again,
 * which took half the time of a copy, and a third of an import's.
 */
export function textList(place: number, texts: readonly (string | null)[]): { sql: string; value: Value } {
  const joined = texts.map(text => text ?? absent).join(separator)
  const ambiguous = texts.some(text => text?.includes(separator) || text === absent)
  // An empty text is cut into no value at all.
  if (ambiguous || joined === '') return { sql: `$${place}::text[]`, value: texts }
  return { sql: `string_to_array($${place}, E'\\x1e', E'\\x1f')`, value: joined }
}
