import type { Seconds } from './clock.ts'

/** More than a store stores in a second. */
const perSecond = 1_000_000

/** Numbers below it were given to rows that an upgrade found: they have no time. */
const firstWithTime = 1_000_000_000 * perSecond

/** The lowest number for a change that is stored now: a restored database never repeats a number. */
export const leastSeq = (now: Seconds): number => now * perSecond

/** When the server stored the change with this number; null when it is not known. */
export const storedAt = (seq: number): Seconds | null =>
  seq < firstWithTime ? null : Math.floor(seq / perSecond)
