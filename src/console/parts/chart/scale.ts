/** Round steps: 1, 2, 5 and their multiples of ten. */
const steps = [1, 2, 5, 10]

/**
 * The ticks of an axis from 0: a few round numbers, evenly spaced, the last at or above `max`. Steps are whole numbers
 * unless `fractions` is set, because most values are counts.
 */
export function niceTicks(max: number, { most = 5, fractions = false } = {}): number[] {
  const top = Number.isFinite(max) && max > 0 ? max : 1
  const rough = top / most
  const size = 10 ** Math.floor(Math.log10(rough))
  const round = (steps.find(step => step * size >= rough * (1 - 1e-9)) ?? 10) * size
  const step = fractions ? round : Math.max(1, round)
  const count = Math.max(1, Math.ceil(top / step - 1e-9))
  // Multiplication and rounding keep floating-point errors out of the labels: 3 × 0.1 is not 0.3.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** The points with a label: every n-th one back from the last, so that the labels are evenly spaced. */
export function labelledPoints(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => count - 1 - index * step).toReversed()
}
