import type { Metric, Registry } from 'prom-client'

interface Series {
  labels: Record<string, string>
  sum: number
  /** Each bucket by itself, not cumulative; the last one is beyond all bounds. */
  counts: Float64Array
}

/**
 * A histogram of seconds. prom-client's own looks its labels up at each observation, which costs an unchanged poll 4 to
 * 6 % of its CPU time; here the labels are bound once, and prom-client only collects and prints the samples.
 */
export function createHistogram(registry: Registry, name: string, help: string, bounds: readonly number[]) {
  const all: Series[] = []
  const head = { name, help, type: 'histogram' }
  const metric = {
    ...head,
    get: async () => ({ ...head, values: all.flatMap(series => samples(name, series, bounds)) }),
  }
  // The registry needs only these fields, which is how prom-client registers its own aggregates; its types ask for more.
  registry.registerMetric(metric as unknown as Metric)

  return {
    /** Binds one combination of labels; call it once for each. */
    labels(labels: Record<string, string>): (seconds: number) => void {
      const series: Series = { labels, sum: 0, counts: new Float64Array(bounds.length + 1) }
      all.push(series)
      return seconds => {
        let bucket = 0
        while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
        ;(series.counts[bucket] as number) += 1
        series.sum += seconds
      }
    },
  }
}

function samples(name: string, { labels, sum, counts }: Series, bounds: readonly number[]) {
  let total = 0
  const buckets = [...bounds, '+Inf'].map((le, bucket) => {
    total += counts[bucket] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
  })
  if (total === 0) return []
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}
