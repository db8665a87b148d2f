import { html } from 'ghtml'
import type { Seconds } from '../../../lib/clock.ts'
import { type Column, table } from '../table.ts'
import { groupedBars, lines, type Marks, patterns, plotHeight, plotTop, stackedBars } from './marks.ts'
import { formatCompact, formatNumber } from '../format/numbers.ts'
import { labelledPoints, niceTicks } from './scale.ts'
import { type Series, seriesClass } from './series.ts'

export interface Chart {
  /** Unique on the page: letters, digits, dashes. */
  id: string
  /** Text: what is shown. */
  title: string
  kind: 'stacked' | 'grouped' | 'lines'
  /** The label of each point, oldest first: a day, an hour. */
  points: readonly string[]
  /** The head of the table's first column: "Day", "Hour". */
  pointName: string
  /** The points are these hours of UTC, which the script shows in the viewer's time zone. */
  hours?: readonly Seconds[]
  /** Each has one value per point. */
  series: readonly Series[]
  /** The unit of the values: "ms". */
  unit?: string
  /** Text instead of the drawing when every value is 0 or unknown. */
  empty: string
}

const draw: Record<Chart['kind'], (marks: Marks) => string> = {
  stacked: stackedBars,
  grouped: groupedBars,
  lines,
}

/**
 * An SVG without script or inline style, as wide as the page allows, and the same figures as a table for people who
 * cannot see it or want exact values.
 */
export function chart(chart: Chart): string {
  const { id, title, points, series, empty } = chart
  const max = highest(chart)
  if (points.length === 0 || max === 0) {
    return html`<figure class="chart" aria-labelledby="${id}-title">
      <figcaption id="${id}-title">${title}</figcaption>
      <p class="chart-empty">${empty}</p>
    </figure>`
  }
  return html`<figure class="chart">
    <figcaption id="${id}-title">${title}!${chart.hours ? zone : ''}</figcaption>
    !${legend(chart)}
    <div class="plot" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc">
      !${drawing(chart, max)}
    </div>
    <p class="visually-hidden" id="${id}-desc">${describe(chart)}</p>
    <details>
      <summary>Show as table</summary>
      !${table({ caption: title, dense: true, rows: [...points.keys()], columns: tableColumns(points, series, chart) })}
    </details>
  </figure>`
}

/** The zone of the hours; the script replaces it. */
const zone = html` <small class="muted" data-local-zone>UTC</small>`

/** For the script: the hour that the text begins with. */
const localHour = (hours: Chart['hours'], point: number): string =>
  hours ? html`data-local-hour="${new Date((hours[point] ?? 0) * 1000).toISOString()}"` : ''

/** The highest value; of stacked series, the highest sum. */
function highest({ kind, points, series }: Chart): number {
  const of = (point: number): number => {
    const values = series.map(({ values }) => values[point] ?? 0)
    return kind === 'stacked' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values)
  }
  return points.reduce((most, _, point) => Math.max(most, of(point)), 0)
}

/** Room for a line of labels below the plot. */
const axisHeight = 24

function drawing(chart: Chart, max: number): string {
  const { id, kind, points, series, unit } = chart
  const ticks = niceTicks(max, { most: 4, fractions: kind === 'lines' })
  const top = ticks.at(-1) ?? 1
  const height = plotTop + plotHeight + axisHeight
  const yOf = (tick: number): number => plotTop + plotHeight * (1 - tick / top)
  const marks = { series, points: points.length, max: top, id }
  return html`<svg class="y-axis" width="3.25rem" height="${height}" aria-hidden="true" focusable="false">
      !${ticks.map(tick => html`<text x="100%" dx="-8" y="${yOf(tick)}" dy="4" text-anchor="end">${label(tick, unit)}</text>`)}
    </svg>
    <svg class="area" width="100%" height="${height}" aria-hidden="true" focusable="false">
      <defs>!${kind === 'lines' ? '' : patterns(marks)}</defs>
      !${ticks.map(tick => html`<line class="${tick === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${yOf(tick)}" y2="${yOf(tick)}"/>`)}
      !${draw[kind](marks)}
      !${pointLabels(chart, height - 6)}
      !${points.map((_, point) => hover(chart, point))}
    </svg>`
}

const label = (value: number, unit: string | undefined): string =>
  unit === undefined ? formatCompact(value) : `${formatCompact(value)} ${unit}`

/** Up to seven labels on a wide screen; on a phone the stylesheet hides every second one. */
function pointLabels({ points, hours }: Chart, y: number): string {
  const labelled = labelledPoints(points.length, 7)
  return labelled
    .map((point, index) => {
      const narrow = points.length > 12
      const anchor =
        narrow && point === 0 ? 'start' : narrow && point === points.length - 1 ? 'end' : 'middle'
      const x = anchor === 'start' ? 0 : anchor === 'end' ? 100 : ((point + 0.5) * 100) / points.length
      // Counted from the last one, which always has a label.
      const spare = (labelled.length - 1 - index) % 2 === 1 ? 'class="spare"' : ''
      return html`<text !${spare} x="${x}%" y="${y}" text-anchor="${anchor}" !${localHour(hours, point)}>${points[point]}</text>`
    })
    .join('')
}

/** A transparent bar with a title, which browsers show under the pointer. */
function hover({ points, hours, series, unit }: Chart, point: number): string {
  const width = 100 / points.length
  const values = series.map(({ name, values }) => `${name}: ${exact(values[point] ?? null, unit)}`)
  return html`<rect class="hover" x="${point * width}%" width="${width}%" y="0" height="${plotTop + plotHeight}"><title !${localHour(hours, point)}>${points[point]}
${values.join('\n')}</title></rect>`
}

const exact = (value: number | null, unit: string | undefined): string => {
  if (value === null) return '–'
  return unit === undefined ? formatNumber(value) : `${formatNumber(value)} ${unit}`
}

/** The series in the order of the drawing, each with its pattern or dash. */
const legend = ({ kind, series, id }: Chart): string =>
  html`<ul class="legend">!${series.map(
    (one, index) => html`<li>!${sample(kind, seriesClass(one, index), id)}${one.name}</li>`,
  )}</ul>`

const sample = (kind: Chart['kind'], name: string, id: string): string =>
  kind === 'lines'
    ? html`<svg width="26" height="12" aria-hidden="true" focusable="false"><path class="line ${name}" d="M1 6h24"/></svg>`
    : html`<svg width="14" height="14" aria-hidden="true" focusable="false">
        <rect class="bar ${name}" width="14" height="14" rx="2"/><rect width="14" height="14" fill="url(#${id}-${name}) none"/>
      </svg>`

/** The drawing in words: the time span, and the total and the maximum of each series. */
function describe({ kind, points, hours, series, unit }: Chart): string {
  const span =
    points.length === 1
      ? `${points[0]}.`
      : `${points.length} points from ${points[0]} to ${points.at(-1)}${hours ? ' UTC' : ''}.`
  const each = series.map(({ name, values }) => {
    const most = values.reduce<number>((so, value) => Math.max(so, value ?? 0), 0)
    const at = points[values.indexOf(most)]
    const sum = values.reduce<number>((so, value) => so + (value ?? 0), 0)
    const highest = most === 0 ? 'none' : `highest ${exact(most, unit)} (${at})`
    return kind === 'lines' || most === 0
      ? `${name}: ${highest}.`
      : `${name}: ${exact(sum, unit)} in total, ${highest}.`
  })
  return [span, ...each].join(' ')
}

function tableColumns(
  points: readonly string[],
  series: readonly Series[],
  { pointName, hours, unit }: Chart,
): Column<number>[] {
  return [
    hours
      ? {
          title: pointName,
          note: zone,
          html: point => html`<span !${localHour(hours, point)}>${points[point]}</span>`,
        }
      : { title: pointName, text: point => points[point] ?? '' },
    ...series.map(
      ({ name, values }): Column<number> => ({
        title: name,
        align: 'end',
        text: point => exact(values[point] ?? null, unit),
      }),
    ),
  ]
}
