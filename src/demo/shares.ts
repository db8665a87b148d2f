/** Splits a whole number in proportion to weights; the parts are whole and their sum is exact. */
export function shares(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0)
  let before = 0
  let weight = 0
  return weights.map(each => {
    weight += each
    const upTo = sum === 0 ? 0 : Math.round((total * weight) / sum)
    const part = upTo - before
    before = upTo
    return part
  })
}
