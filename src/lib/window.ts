import type { Seconds } from './clock.ts'

/** Windows begin at multiples of their length, on every node alike: the end of the one that `now` is in. */
export const windowEnd = (now: Seconds, length: Seconds): Seconds => now - (now % length) + length
