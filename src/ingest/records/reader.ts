import type { JsonCursor } from '../../lib/json-cursor.ts'
import { type Problems, type Rule, excerpt } from './problems.ts'

/** Moves over one value of a record, checks it, and returns how it is stored. */
export interface Reader {
  /** The JSON text for a field that was left out; null when the field is required. */
  readonly missing: string | null
  /** What the value must be, for messages. */
  readonly must: string
  /** Null when the value is stored as it is written; else the JSON text to store instead. */
  read(cursor: JsonCursor, problems: Problems): string | null
}

/** Deeper than any record: a value this deep is in an unknown field. */
export const maxDepth = 8

/** Moves over a value of the wrong type and reports it. */
export function reportWrongType(cursor: JsonCursor, problems: Problems, must: string): null {
  const start = cursor.at
  cursor.skipValue(maxDepth)
  return reportValue(cursor, problems, 'type', start, must)
}

/** Reports the value between `start` and the cursor. */
export function reportValue(
  cursor: JsonCursor,
  problems: Problems,
  rule: Rule,
  start: number,
  must: string,
): null {
  problems.add(rule, `is ${excerpt(cursor.text.slice(start, cursor.at))}; it must be ${must}`)
  return null
}

export const orNull = (must: string, nullable: boolean): string => (nullable ? `${must} or null` : must)

/** Moves over `null` when the field may be null; reports any other value. */
export function readNull(cursor: JsonCursor, problems: Problems, nullable: boolean, must: string): null {
  return nullable && cursor.acceptNull() ? null : reportWrongType(cursor, problems, must)
}
