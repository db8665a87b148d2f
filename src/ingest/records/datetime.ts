import type { Seconds } from '../../lib/clock.ts'
import { parseDatetime } from '../../lib/datetime.ts'

/** A cache of the first second of each day, by year, month and day in one number: the records of a batch share few days. */
const days = new Map<number, Seconds>()
const mostDays = 4096

/** `parseDatetime` of the 19 characters at this position, but faster: an order has about five times. */
export function datetimeAt(codes: Uint16Array, at: number): Seconds | null {
  const year = twoDigits(codes, at) * 100 + twoDigits(codes, at + 2)
  const month = twoDigits(codes, at + 5)
  const day = twoDigits(codes, at + 8)
  const hour = twoDigits(codes, at + 11)
  const minute = twoDigits(codes, at + 14)
  const second = twoDigits(codes, at + 17)
  const key = year * 10_000 + month * 100 + day
  const time = hour * 3600 + minute * 60 + second
  // A part that is not two digits is NaN, and so is every sum with it.
  if (!(key + time >= 0) || hour > 23 || minute > 59 || second > 59) return null
  if (codes[at + 4] !== 0x2d || codes[at + 7] !== 0x2d || codes[at + 10] !== 0x20) return null
  if (codes[at + 13] !== 0x3a || codes[at + 16] !== 0x3a) return null
  const start = days.get(key) ?? startOfDay(key, year, month, day)
  return start === null ? null : start + time
}

function startOfDay(key: number, year: number, month: number, day: number): Seconds | null {
  const [yyyy, mm, dd] = [
    String(year).padStart(4, '0'),
    String(month).padStart(2, '0'),
    String(day).padStart(2, '0'),
  ]
  const start = parseDatetime(`${yyyy}-${mm}-${dd} 00:00:00`)
  if (start === null) return null
  if (days.size >= mostDays) days.clear()
  days.set(key, start)
  return start
}

function twoDigits(codes: Uint16Array, at: number): number {
  const tens = (codes[at] as number) - 0x30
  const ones = (codes[at + 1] as number) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}
