/** Counts durations in seconds by their labels; written out as Prometheus reads it. */
export interface Histogram {
  /** The counter of one combination of labels: found once, each observation costs some nanoseconds. */
  of(labels: Record<string, string>): (seconds: number) => void
  text(): string
}

interface Series {
  labels: string
  sum: number
  /** Of each bucket alone, not of those below it; the last is beyond all bounds. */
  counts: Float64Array
}

/** Written here, because prom-client's own looks its labels up anew at each observation, which takes microseconds. */
export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const all = new Map<string, { series: Series; observe(seconds: number): void }>()

  function create(labels: string) {
    const series: Series = { labels, sum: 0, counts: new Float64Array(bounds.length + 1) }
    return {
      series,
      observe(seconds: number) {
        let bucket = 0
        while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
        ;(series.counts[bucket] as number) += 1
        series.sum += seconds
      },
    }
  }

  return {
    of(labels) {
      const written = write(labels)
      const found = all.get(written) ?? create(written)
      all.set(written, found)
      return found.observe
    },
    text() {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
      for (const { series } of all.values()) lines.push(...samples(name, series, bounds))
      return `${lines.join('\n')}\n`
    },
  }
}

function samples(name: string, { labels, sum, counts }: Series, bounds: readonly number[]): string[] {
  let total = 0
  const upTo = bounds.map((bound, bucket) => {
    total += counts[bucket] ?? 0
    return `${name}_bucket{le="${bound}",${labels}} ${total}`
  })
  total += counts.at(-1) ?? 0
  if (total === 0) return []
  return [
    ...upTo,
    `${name}_bucket{le="+Inf",${labels}} ${total}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${total}`,
  ]
}

const write = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}="${value.replace(/[\\"\n]/g, escaped)}"`)
    .join(',')

const escaped = (character: string): string => (character === '\n' ? '\\n' : `\\${character}`)
