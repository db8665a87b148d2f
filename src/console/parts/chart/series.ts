export interface Series {
  /** Text. */
  name: string
  /** One for each point; null where it is unknown (a percentile of no requests). */
  values: readonly (number | null)[]
  /** Errors have a colour of their own. */
  tone?: 'bad'
}

/** More series than this are hard to distinguish. */
export const maxSeries = 6

/** The CSS class of a series: its colour, and its pattern or dash. */
export const seriesClass = (series: Series, index: number): string =>
  series.tone === 'bad' ? 'series-bad' : `series-${(index % maxSeries) + 1}`

/** The largest series first; when there are too many, the rest as one sum. */
export function largestSeries(all: readonly Series[], restName: string): Series[] {
  if (all.length <= maxSeries) return [...all]
  const sum = ({ values }: Series): number => values.reduce<number>((total, value) => total + (value ?? 0), 0)
  const sorted = all.map(series => ({ series, sum: sum(series) })).sort((a, b) => b.sum - a.sum)
  const kept = sorted.slice(0, maxSeries - 1).map(({ series }) => series)
  const rest = sorted.slice(maxSeries - 1).map(({ series }) => series)
  const values = (all[0] as Series).values.map((_, point) =>
    rest.reduce((total, series) => total + (series.values[point] ?? 0), 0),
  )
  return [...kept, { name: restName, values }]
}
