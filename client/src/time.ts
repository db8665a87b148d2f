/** A `Date`, or text: `yyyy-MM-dd HH:mm:ss` in UTC, a UTC day `yyyy-MM-dd`, or ISO 8601 with its offset. */
export type Time = Date | string

/** Whether the text is a day of the calendar, as `yyyy-MM-dd`. */
export function isDay(text: string): boolean {
  const time = /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse accepts 30 February and means 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Unix time in seconds; of a day, its first second. */
export function secondsOf(time: Time): number {
  const isPlain = typeof time === 'string' && /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(time)
  const date = new Date(isPlain ? `${time.replace(' ', 'T')}${time.length > 10 ? 'Z' : ''}` : time)
  const day = typeof time === 'string' && /^\d{4}-\d\d-\d\d/.exec(time)?.[0]
  if (Number.isNaN(date.getTime()) || (day && !isDay(day))) throw new TypeError(`not a time: ${String(time)}`)
  return Math.floor(date.getTime() / 1000)
}

/** As `secondsOf`; of a day, its last second. */
export const lastSecondOf = (time: Time): number =>
  secondsOf(time) + (typeof time === 'string' && isDay(time) ? 86_399 : 0)

/** As the API writes it: `yyyy-MM-dd HH:mm:ss`, UTC. */
export const formatSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

export const formatTime = (time: Time): string => formatSeconds(secondsOf(time))
