import type { Load } from './load/load.ts'

/** One line of the table: a measurement and its reference. */
export interface Row {
  /** The key in the baseline and for `--only`. */
  id: string
  name: string
  figure: string
  /** The reference it is compared with. */
  limit: string
  ratio: number
  /** The target ratio; null for a figure that is only reported. */
  aim: Aim | null
  memory_mb: number | null
  /** Notes on the method. */
  note?: string
  /** The same as numbers. */
  measured?: Record<string, unknown>
}

export interface Aim {
  is: 'at least' | 'at most'
  ratio: number
}

export const atLeast = (ratio: number): Aim => ({ is: 'at least', ratio })
export const atMost = (ratio: number): Aim => ({ is: 'at most', ratio })

export const isReached = ({ ratio, aim }: Row): boolean =>
  aim === null || (aim.is === 'at least' ? ratio >= aim.ratio : ratio <= aim.ratio)

const whole = (value: number): string => Math.round(value).toLocaleString('en')

export const perSecond = (value: number, what: string): string => `${whole(value)} ${what}/s`

export function loadText({ rate, p50, p99, mb, cpu_us }: Load): string {
  const cpu = cpu_us === null ? '' : `, ${whole(cpu_us)} µs of CPU each`
  const size = mb >= 10 ? whole(mb) : mb.toFixed(1)
  return `${perSecond(rate, 'requests')}, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${size} MB/s${cpu}`
}

export function percentiles(values: readonly number[]): { p50: number; p99: number; most: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
