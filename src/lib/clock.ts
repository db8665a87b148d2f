/** Seconds since the Unix epoch: the only time unit inside Tillgate. */
export type Seconds = number

/** The injected source of time, which tests can set. */
export interface Clock {
  now(): Seconds
}

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) }
