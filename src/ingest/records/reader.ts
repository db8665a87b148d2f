import type { JsonCursor } from '../../lib/json-cursor.ts'
import { type Problems, type Rule, shown } from './problems.ts'

/** Passes one value of a record, checks it against its rule, and says how it is stored. */
export interface Reader {
  /** What stands for a field that was left out; null when it may not be. */
  readonly missing: string | null
  /** What the value must be, for messages. */
  readonly must: string
  /** Null: the value is stored as it is written. Else: the JSON text to store in its place. */
  read(cursor: JsonCursor, problems: Problems): string | null
}

/** Deeper than any record; a value this deep stands in a field that is refused anyway. */
export const maxDepth = 8

/** Passes a value of the wrong type, whatever it is, and names it. */
export function refuse(cursor: JsonCursor, problems: Problems, must: string): null {
  const start = cursor.at
  cursor.skip(maxDepth)
  return complain(cursor, problems, 'type', start, must)
}

/** Names the value that was just passed. */
export function complain(
  cursor: JsonCursor,
  problems: Problems,
  rule: Rule,
  start: number,
  must: string,
): null {
  problems.add(rule, `is ${shown(cursor.text.slice(start, cursor.at))}; it must be ${must}`)
  return null
}

export const orNull = (must: string, nullable: boolean): string => (nullable ? `${must} or null` : must)

/** Passes `null` when the field may be null; any other value has the wrong type. */
export function nullOr(cursor: JsonCursor, problems: Problems, nullable: boolean, must: string): null {
  return nullable && cursor.takesNull() ? null : refuse(cursor, problems, must)
}
