/** The steps that people count in: 1, 2, 5 and their tens. */
const steps = [1, 2, 5, 10]

/**
 * Where an axis from 0 has its lines: a few round numbers, evenly spaced, the last at or above `max`. Counts are whole,
 * so no step is below 1 unless `fractions` says that the values are not counts.
 */
export function niceTicks(max: number, { most = 5, fractions = false } = {}): number[] {
  const top = Number.isFinite(max) && max > 0 ? max : 1
  const rough = top / most
  const size = 10 ** Math.floor(Math.log10(rough))
  const round = (steps.find(step => step * size >= rough * (1 - 1e-9)) ?? 10) * size
  const step = fractions ? round : Math.max(1, round)
  const count = Math.max(1, Math.ceil(top / step - 1e-9))
  // Multiplied rather than added up, and cut: 3 × 0.1 is not 0.3.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** Which of `count` points are labelled: the first, the last, and evenly between, as many as fit. */
export function labelledPoints(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index)
  const last = count - 1
  const picked = Array.from({ length: most }, (_, index) => Math.round((index * last) / (most - 1)))
  return [...new Set(picked)]
}
