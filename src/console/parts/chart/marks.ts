import { html } from 'ghtml'
import { type Series, seriesClass } from './series.ts'

/** The drawing's height in pixels. The page decides its width, so x is in percent. */
export const plotHeight = 180

/** Room for half a label above the highest line. */
export const plotTop = 8

/** The y coordinate of a value, in pixels from the top. */
const y = (value: number, max: number): number => round(plotTop + plotHeight * (1 - value / max))

const round = (value: number): number => Math.round(value * 1000) / 1000

export interface Marks {
  series: readonly Series[]
  points: number
  /** The value at the upper end of the axis. */
  max: number
  /** Unique on the page; a prefix of the patterns' ids. */
  id: string
}

/** The part of a point's width between two bars. */
const gap = 0.24

export function stackedBars({ series, points, max, id }: Marks): string {
  const width = 100 / points
  const bar = (point: number): string => {
    let below = 0
    return series
      .map((one, index) => {
        const value = one.values[point] ?? 0
        const bottom = y(below, max)
        below += value
        const top = y(below, max)
        if (value <= 0) return ''
        return rect({ x: (point + gap / 2) * width, width: (1 - gap) * width, top, bottom, one, index, id })
      })
      .join('')
  }
  return Array.from({ length: points }, (_, point) => bar(point)).join('')
}

export function groupedBars({ series, points, max, id }: Marks): string {
  const width = 100 / points
  const each = ((1 - gap) * width) / series.length
  const bars = (point: number): string =>
    series
      .map((one, index) => {
        const value = one.values[point] ?? 0
        if (value <= 0) return ''
        const x = (point + gap / 2) * width + index * each
        return rect({ x, width: each, top: y(value, max), bottom: y(0, max), one, index, id })
      })
      .join('')
  return Array.from({ length: points }, (_, point) => bars(point)).join('')
}

interface Rect {
  x: number
  width: number
  top: number
  bottom: number
  one: Series
  index: number
  id: string
}

/** At least one pixel high, so that a small value is visible. */
function rect({ x, width, top, bottom, one, index, id }: Rect): string {
  const height = Math.max(1, round(bottom - top))
  const name = seriesClass(one, index)
  const place = html`x="${round(x)}%" width="${round(width)}%" y="${round(bottom - height)}" height="${height}"`
  const pattern = hasPattern(name) ? html`<rect !${place} fill="url(#${id}-${name})"/>` : ''
  return html`<rect class="bar ${name}" !${place}/>!${pattern}`
}

/** Not everybody can tell colours apart, so every second series is striped, in the legend too. */
const hasPattern = (name: string): boolean =>
  ['series-2', 'series-4', 'series-6', 'series-bad'].includes(name)

export const patterns = ({ series, id }: Pick<Marks, 'series' | 'id'>): string =>
  series
    .map(seriesClass)
    .filter(hasPattern)
    .map(
      name => html`<pattern id="${id}-${name}" width="6" height="6" patternUnits="userSpaceOnUse">
        <path class="stripe" d="!${name === 'series-bad' ? 'M0 6 6 0M-1 1 1 -1M5 7 7 5' : 'M0 3h6'}"/>
      </pattern>`,
    )
    .join('')

/**
 * A nested SVG that stretches to the width of the page, because the coordinates of a path cannot be in percent. The
 * strokes keep their width.
 */
export function lines({ series, points, max }: Marks): string {
  const x = (point: number): number => round(((point + 0.5) * 1000) / points)
  const line = (one: Series, index: number): string => {
    const name = seriesClass(one, index)
    const runs = unbroken(one.values.slice(0, points))
    const at = ({ point, value }: { point: number; value: number }): string => `${x(point)} ${y(value, max)}`
    const paths = runs.filter(run => run.length > 1).map(run => `M${run.map(at).join('L')}`)
    // A stroke of length 0 with round ends draws a dot.
    const dots = runs.filter(run => run.length === 1).map(run => `M${run.map(at).join('')}h0`)
    return [
      paths.length === 0 ? '' : html`<path class="line ${name}" d="${paths.join('')}"/>`,
      dots.length === 0 ? '' : html`<path class="line dot ${name}" d="${dots.join('')}"/>`,
    ].join('')
  }
  return html`<svg viewBox="0 0 1000 ${plotTop + plotHeight}" height="${plotTop + plotHeight}" width="100%"
    preserveAspectRatio="none">!${series.map(line)}</svg>`
}

/** The runs of known values: a line has a gap where a value is unknown. */
function unbroken(values: readonly (number | null)[]): { point: number; value: number }[][] {
  const runs: { point: number; value: number }[][] = []
  let open = false
  for (const [point, value] of values.entries()) {
    if (value === null) open = false
    else if (open) runs.at(-1)?.push({ point, value })
    else open = runs.push([{ point, value }]) > 0
  }
  return runs
}
