import { tables, throttles } from './tables.ts'

const int64 = new Set(
  [...tables, throttles].flatMap(({ columns }) =>
    Object.keys(columns).filter(name => columns[name] === 'int64'),
  ),
)

/** Whether a result column is a bigint. An expression has the type of the column that it is named after, else number. */
export const isInt64 = (column: string): boolean => int64.has(column)

/** An integer of a result column as its declared type. Throws instead of rounding. */
export function readInteger(value: bigint, column: string): bigint | number {
  if (isInt64(column)) return value
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError(`${column} is ${value}, beyond 2^53; declare it int64`)
  return number
}
