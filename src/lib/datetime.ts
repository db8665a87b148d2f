import type { Seconds } from './clock.ts'

const pattern = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/

/** Reads `yyyy-MM-dd HH:mm:ss` as UTC; null unless it is a moment that exists (spec 2.4: no offset, no fraction). */
export function parseDatetime(text: string): Seconds | null {
  const match = pattern.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (year === 0 || hour > 23 || minute > 59 || second > 59) return null
  const date = new Date(0)
  // setUTCFullYear, because Date.UTC would read the year 26 as 1926.
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second
}

export function formatDatetime(seconds: Seconds): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
