import type { Seconds } from './clock.ts'
import { formatDate, parseDatetime } from './datetime.ts'

const formatters = new Map<string, Intl.DateTimeFormat>()

/** `yyyy-MM-dd` as a clock in the zone shows it. */
export function localDate(seconds: Seconds, zone: string): string {
  let formatter = formatters.get(zone)
  if (!formatter) {
    // The Swedish date format is that of ISO 8601.
    formatter = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
    formatters.set(zone, formatter)
  }
  return formatter.format(seconds * 1000)
}

/** The last `count` dates up to this one, oldest first. Dates have no zone, so UTC days serve for the arithmetic. */
export function datesUntil(date: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(date, index + 1 - count))
}

/** `yyyy-MM-dd` of a real day from 1970 on. */
export const isDate = (text: string): boolean =>
  /^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\d$/.test(text) && parseDatetime(`${text} 00:00:00`) !== null

/** The date so many days later, or earlier. */
export const addDays = (date: string, days: number): string =>
  formatDate(Date.parse(date) / 1000 + days * 86_400)

/** The first second of the date in the zone: found by search, because clocks may skip midnight. */
export function startOfDate(date: string, zone: string): Seconds {
  const noon = Date.parse(`${date}T12:00:00Z`) / 1000
  // Zones are at most 14 hours ahead of UTC and 12 behind.
  let [before, from] = [noon - 27 * 3600, noon + 13 * 3600]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (localDate(middle, zone) < date) before = middle
    else from = middle
  }
  return from
}
