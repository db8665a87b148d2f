import type { Seconds } from './clock.ts'

/** Reads `yyyy-MM-dd HH:mm:ss` as UTC; null unless it is a valid time (spec 2.4: no offset, no fraction). */
export function parseDatetime(text: string): Seconds | null {
  if (text.length !== 19) return null
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== ' ' || text[13] !== ':' || text[16] !== ':')
    return null
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)]
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)]
  // NaN fails every comparison, so the conditions are written positively.
  if (!(year >= 1 && hour <= 23 && minute <= 59 && second <= 59)) return null
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return null
  return daysBefore(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
}

/** The number in plain digits between these positions, else NaN. */
function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysIn = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31

/** Days since 1970-01-01. Years are counted from March, so that the leap day is the last of its year. */
function daysBefore(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1
  const months = (month + 9) % 12
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return years * 365 + leapDays + Math.floor((months * 153 + 2) / 5) + day - 1 - 719_468
}

/** `yyyy-MM-dd` of UTC. */
export const formatDate = (seconds: Seconds): string => new Date(seconds * 1000).toISOString().slice(0, 10)

export function formatDatetime(seconds: Seconds): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
