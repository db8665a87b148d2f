import type { Seconds } from '../lib/clock.ts'

/** Local times of stores. A local day is the number of days since 1970-01-01 in that zone. */

export const daySeconds = 86_400

const formats = new Map<string, Intl.DateTimeFormat>()

/** Seconds that the zone is ahead of UTC at that time. */
export function zoneOffset(zone: string, at: Seconds): Seconds {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    formats.set(zone, format)
  }
  const name = format.formatToParts(at * 1000).find(part => part.type === 'timeZoneName')?.value ?? ''
  const match = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name)
  if (!match) throw new RangeError(`the offset of ${zone} is "${name}"; expected GMT±hh:mm`)
  const ahead = Number(match[2] ?? 0) * 3600 + Number(match[3] ?? 0) * 60
  return match[1] === '-' ? -ahead : ahead
}

export const localDay = (zone: string, at: Seconds): number =>
  Math.floor((at + zoneOffset(zone, at)) / daySeconds)

/** The time of that local day and minute. */
export function atLocal(zone: string, day: number, minute: number): Seconds {
  const wall = day * daySeconds + minute * 60
  const near = wall - zoneOffset(zone, wall)
  return wall - zoneOffset(zone, near)
}

/** 0 is Sunday: 1970-01-01 was a Thursday. */
export const weekday = (day: number): number => (((day + 4) % 7) + 7) % 7
