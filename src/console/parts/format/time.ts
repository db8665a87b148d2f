import { html } from 'ghtml'
import type { Seconds } from '../../../lib/clock.ts'

type Precision = 'day' | 'minute' | 'second'

interface TimeOptions {
  precision?: Precision
  /** False where the zone is named elsewhere, such as in a column's head. */
  named?: boolean
}

/** For merchants: a time in the store's time zone, with the zone's name. */
export const storeTime = (seconds: Seconds, zone: string, options: TimeOptions = {}): string =>
  timeElement(seconds, zone, options, '')

/**
 * For developers and operators: a time in UTC. The script replaces it by the viewer's local time with the zone's name,
 * and moves UTC into the title.
 */
export const viewerTime = (seconds: Seconds, options: TimeOptions = {}): string =>
  timeElement(seconds, 'UTC', options, html`data-local="${options.precision ?? 'minute'}"`)

/** The time zone of `viewerTime`, for a column's head; the script replaces both. */
export const viewerZone = html` <small class="muted" data-local-zone>UTC</small>`

function timeElement(seconds: Seconds, zone: string, options: TimeOptions, attribute: string): string {
  const { precision = 'minute', named = true } = options
  const iso = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
  const text = formatTime(seconds, zone, precision)
  const name = named && precision !== 'day' ? ` ${zoneName(zone)}` : ''
  return html`<time datetime="${iso}" !${attribute} !${named ? 'data-named' : ''}>${text}${name}</time>`
}

/** `1 Nov 2026, 23:00`, in the zone. */
export function formatTime(seconds: Seconds, zone: string, precision: Precision = 'minute'): string {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {}
  for (const { type, value } of formatterOf(zone).formatToParts(seconds * 1000)) parts[type] = value
  const { day, month, year, hour, minute, second } = parts
  const date = `${day} ${month} ${year}`
  if (precision === 'day') return date
  return precision === 'minute' ? `${date}, ${hour}:${minute}` : `${date}, ${hour}:${minute}:${second}`
}

/** `Sydney time`: the zone's everyday name. */
export function zoneName(zone: string): string {
  if (zone === 'UTC' || zone === 'GMT') return zone
  if (zone.startsWith('Etc/')) return offsetName(zone)
  const place = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
  return `${place} time`
}

/** Etc/GMT+5 is five hours behind UTC, which people write as GMT-5. */
const offsetName = (zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'shortOffset' })
    .formatToParts(0)
    .find(({ type }) => type === 'timeZoneName')?.value ?? zone

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Creating a formatter costs about a hundred times as much as using it. There is one for each IANA zone at most. */
function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formatters.set(zone, formatter)
  }
  return formatter
}

const shortDay = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' })
const longDay = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

/** A date `yyyy-MM-dd` as `1 Nov`. Dates have no zone, so the time of UTC serves. */
export const formatShortDay = (date: string): string => shortDay.format(Date.parse(date))

/** `Monday 2 November 2026` */
export const formatLongDay = (date: string): string => longDay.format(Date.parse(date)).replace(',', '')
