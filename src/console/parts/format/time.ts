import { html } from 'ghtml'
import type { Seconds } from '../../../lib/clock.ts'

/** How much of a moment is told. */
type Precision = 'day' | 'minute' | 'second'

interface TimeOptions {
  precision?: Precision
  /** False where the zone is named once for all, as in a column's head. */
  named?: boolean
}

/** For merchants: a moment as the store's own clock shows it, with the zone named. */
export const storeTime = (seconds: Seconds, zone: string, options: TimeOptions = {}): string =>
  timeElement(seconds, zone, options, '')

/**
 * For developers and operators: a moment in UTC. With script it becomes the viewer's own time with its zone named, and
 * UTC moves into the title.
 */
export const viewerTime = (seconds: Seconds, options: TimeOptions = {}): string =>
  timeElement(seconds, 'UTC', options, html`data-local="${options.precision ?? 'minute'}"`)

/** The zone of the viewer's times, for a column's head: rewritten together with them. */
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

/** `Sydney time`: the zone as people who live in it would say. */
export function zoneName(zone: string): string {
  if (zone === 'UTC' || zone === 'GMT') return zone
  if (zone.startsWith('Etc/')) return offsetName(zone)
  const place = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
  return `${place} time`
}

/** Etc/GMT+5 is five hours behind; what people would say is GMT-5. */
const offsetName = (zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'shortOffset' })
    .formatToParts(0)
    .find(({ type }) => type === 'timeZoneName')?.value ?? zone

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Making one costs a hundred times what using it costs; there are only as many as there are IANA zones. */
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
