/**
 * A seeded random number generator (sfc32, from the PractRand suite): the same seed gives the same records on every
 * machine.
 */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Streams of one seed are independent: the draws of one store do not change those of another. */
export function createRandom(seed: number, stream: number): Random {
  let a = 0x9e3779b9 ^ seed
  let b = 0x243f6a88 ^ stream
  let c = 0xb7e15162 ^ Math.floor(seed / 2 ** 32)
  let counter = 1

  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }

  // The first numbers of neighbouring seeds are alike; PractRand discards 12 to 18.
  for (let round = 0; round < 20; round++) next()

  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: probability => next() < probability,
    pick: list => list[between(0, list.length - 1)] as (typeof list)[number],
  }
}

export type Draw<T> = (random: Random) => T

/** A weighted random choice from a list that is not empty. */
export function weighted<T>(entries: readonly (readonly [T, number])[]): Draw<T> {
  const upTo: number[] = []
  let total = 0
  for (const [, weight] of entries) {
    total += weight
    upTo.push(total)
  }
  return random => {
    const at = random.next() * total
    const [value] = entries[upTo.findIndex(limit => at < limit)] as readonly [T, number]
    return value
  }
}
