import { parseInt64 } from '../../lib/int64.ts'
import type { JsonCursor } from '../../lib/json-cursor.ts'
import type { Problems } from './problems.ts'
import { reportValue, readNull, orNull, type Reader } from './reader.ts'

const startsNumber = (code: number): boolean => code === 0x2d || (code >= 0x30 && code <= 0x39)

const inDigits = 'written without a point or an exponent'

/** int8 and int32: within limits, or one of the codes of a table. */
export function integer(
  limits: { minimum: number; maximum: number } | { enum: readonly number[] },
  nullable: boolean,
): Reader {
  const codes = 'enum' in limits ? new Set(limits.enum) : null
  const [minimum, maximum] = 'enum' in limits ? [0, 0] : [limits.minimum, limits.maximum]
  const must = codes
    ? orNull(`one of ${[...codes].join(', ')}`, nullable)
    : orNull(`a whole number from ${minimum} to ${maximum}`, nullable)

  return {
    must,
    missing: nullable ? 'null' : null,
    read(cursor: JsonCursor, problems: Problems) {
      if (!startsNumber(cursor.code())) return readNull(cursor, problems, nullable, must)
      const start = cursor.at
      cursor.skipNumber()
      if (cursor.numberForm !== 'whole')
        return reportValue(cursor, problems, 'type', start, `${must}, ${inDigits}`)
      const { value } = cursor
      if (codes ? codes.has(value) : value >= minimum && value <= maximum) return null
      return reportValue(cursor, problems, codes ? 'code' : 'range', start, must)
    },
  }
}

export function int64(nullable: boolean): Reader {
  const must = orNull('a whole number from -9223372036854775808 to 9223372036854775807', nullable)
  return {
    must,
    missing: nullable ? 'null' : null,
    read(cursor, problems) {
      if (!startsNumber(cursor.code())) return readNull(cursor, problems, nullable, must)
      const start = cursor.at
      cursor.skipNumber()
      if (cursor.numberForm !== 'whole')
        return reportValue(cursor, problems, 'type', start, `${must}, ${inDigits}`)
      // Up to 18 digits are always within range; -0 is NaN.
      if (cursor.at - start <= 18 && !Number.isNaN(cursor.value)) return null
      if (parseInt64(cursor.text.slice(start, cursor.at)) !== null) return null
      return reportValue(cursor, problems, 'range', start, must)
    },
  }
}

/** Limits that keep sums within int64 and the text of a number short. */
const maxDecimal = 1e15
const maxCharacters = 30
const maxExponent = 30

/** Any JSON number, kept as it is written: 1.10 stays 1.10. */
export function decimal(limits: { minimum?: number; maximum?: number }, nullable: boolean): Reader {
  const { minimum = -maxDecimal, maximum = maxDecimal } = limits
  const must = orNull('a number', nullable)
  const range =
    `from ${minimum} to ${maximum}, in at most ${maxCharacters} characters, ` +
    `with an exponent from -${maxExponent} to ${maxExponent} if any`

  function inRange(text: string): boolean {
    if (text.length > maxCharacters) return false
    const exponent = Number(text.split(/e/i)[1] ?? 0)
    const value = Number(text)
    return Math.abs(exponent) <= maxExponent && value >= minimum && value <= maximum
  }

  return {
    must,
    missing: nullable ? 'null' : null,
    read(cursor, problems) {
      if (!startsNumber(cursor.code())) return readNull(cursor, problems, nullable, must)
      const start = cursor.at
      cursor.skipNumber()
      // Eight characters without an exponent are below every limit.
      if (cursor.numberForm !== 'exponent' && cursor.at - start <= 8) return null
      if (inRange(cursor.text.slice(start, cursor.at))) return null
      return reportValue(cursor, problems, 'range', start, `${must} ${range}`)
    },
  }
}
