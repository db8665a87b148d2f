/** A `Date`, or text: `yyyy-MM-dd HH:mm:ss` in UTC, or ISO 8601 with its offset. */
export type Time = Date | string

/** Unix time in seconds. */
export function secondsOf(time: Time): number {
  const isPlain = typeof time === 'string' && /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(time)
  const date = new Date(isPlain ? `${time.replace(' ', 'T')}${time.length > 10 ? 'Z' : ''}` : time)
  if (Number.isNaN(date.getTime())) throw new TypeError(`not a time: ${String(time)}`)
  return Math.floor(date.getTime() / 1000)
}

/** As the API writes it: `yyyy-MM-dd HH:mm:ss`, UTC. */
export const formatSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

export const formatTime = (time: Time): string => formatSeconds(secondsOf(time))
