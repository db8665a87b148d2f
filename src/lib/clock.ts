/** Seconds since the Unix epoch: the only time unit inside Tillgate. */
export type Seconds = number

/** Everything that asks for the time asks an injected clock, so that tests can move it. */
export interface Clock {
  now(): Seconds
}

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) }
