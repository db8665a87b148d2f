/** Seconds since the Unix epoch: the only time unit inside Tillgate. */
export type Seconds = number

/** The injected source of time, which tests can set. */
export interface Clock {
  now(): Seconds
  /** Milliseconds, for what happens several times a second; the seconds when left out. */
  ms?(): number
}

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000), ms: () => Date.now() }

export const millisecondsOf = (clock: Clock): number => clock.ms?.() ?? clock.now() * 1000
