import type { Seconds } from '../../../lib/clock.ts'
import { formatNumber } from './numbers.ts'

const byteUnits = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** `1.8 MB`, `18 MB`: decimal units. */
export function formatBytes(bytes: number): string {
  let unit = 0
  let amount = bytes
  for (; amount >= 999.5 && unit < byteUnits.length - 1; unit++) amount /= 1000
  const digits = amount < 10 && unit > 0 ? 1 : 0
  return `${formatNumber(Number(amount.toFixed(digits)))} ${byteUnits[unit]}`
}

/** `45 s`, `12 min`, `3 h`, `9 days`. */
export function formatDuration(seconds: Seconds): string {
  if (seconds < 120) return `${formatNumber(Math.round(seconds))} s`
  if (seconds < 7200) return `${formatNumber(Math.round(seconds / 60))} min`
  if (seconds < 2 * 86_400) return `${formatNumber(Math.round(seconds / 3600))} h`
  return `${formatNumber(Math.round(seconds / 86_400))} days`
}

/** `45 s ago`. Never negative, though the clocks of two nodes may differ. */
export const formatAgo = (at: Seconds, now: Seconds): string => `${formatDuration(Math.max(0, now - at))} ago`

/** `1.2 %` of the whole; 0 % of an empty whole. */
export const formatShare = (part: number, whole: number): string =>
  `${formatNumber(whole === 0 ? 0 : Number(((part * 100) / whole).toPrecision(2)))} %`

/** `1 store`, `1,204 stores`. */
export const formatCount = (count: number, noun: string): string =>
  `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
