import type { Seconds } from './clock.ts'

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
  const last = Date.parse(`${date}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  )
}
