import { character } from '../../lib/characters.ts'
import type { JsonCursor } from '../../lib/json-cursor.ts'
import { token } from '../../lib/json-cursor.ts'
import type { Seconds } from '../../lib/clock.ts'
import { parseDatetime } from '../../lib/datetime.ts'
import { isName, nameRule } from '../../lib/names.ts'
import { datetimeAt } from './datetime.ts'
import type { Problems } from './problems.ts'
import { reportValue, readNull, orNull, type Reader, reportWrongType } from './reader.ts'

/** Text of a length in characters (code points, as in JSON Schema). */
export function text(limits: { minLength?: number; maxLength: number }, nullable: boolean): Reader {
  const { minLength = 0, maxLength } = limits
  const must = orNull('text', nullable)
  const length = `${must} of ${minLength} to ${maxLength} characters`

  /** Text with escapes or surrogates, or of a wrong length. Escapes are normalized: equal text is stored as equal bytes. */
  function readUncommon(cursor: JsonCursor, problems: Problems, start: number): string | null {
    const source = cursor.text.slice(start, cursor.at)
    const value = cursor.decodeString(start, cursor.at)
    if (!value.isWellFormed() || value.includes('\0')) {
      // PostgreSQL cannot store it.
      return reportValue(cursor, problems, 'unicode', start, `${must} in well-formed Unicode without U+0000`)
    }
    const characters = value.length > maxLength ? [...value].length : value.length
    if (characters < minLength || characters > maxLength) {
      return reportValue(cursor, problems, 'length', start, length)
    }
    const canonical = JSON.stringify(value)
    return canonical === source ? null : canonical
  }

  return {
    must,
    missing: nullable ? 'null' : null,
    read(cursor, problems) {
      if (cursor.code() !== character.quote) return readNull(cursor, problems, nullable, must)
      const start = cursor.at
      cursor.skipString()
      const units = cursor.at - start - 2
      if (!cursor.hasEscapes && !cursor.hasSurrogates && units >= minLength && units <= maxLength) return null
      return readUncommon(cursor, problems, start)
    },
  }
}

/** A text that people decide by. */
export function name(limits: { minLength?: number; maxLength: number }, nullable: boolean): Reader {
  const inner = text(limits, nullable)
  const must = orNull(`text ${nameRule}`, nullable)
  return {
    must: inner.must,
    missing: inner.missing,
    read(cursor, problems) {
      const start = cursor.at
      const before = problems.count
      const replaced = inner.read(cursor, problems)
      if (problems.count !== before || cursor.codes[start] !== character.quote) return replaced
      const value = cursor.hasEscapes
        ? cursor.decodeString(start, cursor.at)
        : cursor.text.slice(start + 1, cursor.at - 1)
      return isName(value) ? replaced : reportValue(cursor, problems, 'name', start, must)
    },
  }
}

/** Spec 2.4: a valid time, yyyy-MM-dd HH:mm:ss, UTC. */
export class DatetimeReader implements Reader {
  readonly must: string
  readonly missing: string | null
  readonly #nullable: boolean
  /** The last value; null when it was null. */
  seconds: Seconds | null = null

  constructor(nullable: boolean) {
    this.must = orNull('a time that exists as yyyy-MM-dd HH:mm:ss', nullable)
    this.missing = nullable ? 'null' : null
    this.#nullable = nullable
  }

  read(cursor: JsonCursor, problems: Problems): string | null {
    this.seconds = null
    const { at, codes } = cursor
    if (codes[at] !== character.quote) return readNull(cursor, problems, this.#nullable, this.must)
    if (codes[at + 20] === character.quote) {
      this.seconds = datetimeAt(codes, at + 1)
      if (this.seconds !== null) {
        cursor.at = at + 21
        return null
      }
    }
    cursor.skipString()
    const value = cursor.decodeString(at, cursor.at)
    this.seconds = parseDatetime(value)
    return this.seconds === null
      ? reportValue(cursor, problems, 'datetime', at, this.must)
      : JSON.stringify(value)
  }
}

/** One fixed word, such as the kind. */
export function literal(value: string): Reader {
  const quoted = JSON.stringify(value)
  const expected = token(quoted)
  return {
    must: quoted,
    missing: null,
    read(cursor, problems) {
      if (cursor.accept(expected)) return null
      const start = cursor.at
      if (cursor.code() !== character.quote) return reportWrongType(cursor, problems, quoted)
      cursor.skipString()
      if (cursor.decodeString(start, cursor.at) === value) return quoted
      return reportValue(cursor, problems, 'type', start, quoted)
    },
  }
}

/** A field that is always null. */
export const onlyNull: Reader = {
  must: 'null',
  missing: 'null',
  read: (cursor, problems) => readNull(cursor, problems, true, 'null'),
}
