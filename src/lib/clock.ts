/** Seconds since the Unix epoch: the only time unit inside Tillgate. */
export type Seconds = number

/** The injected source of time, which tests can set. */
export interface Clock {
  now(): Seconds
  /** Milliseconds, for what happens several times a second; the seconds when left out. */
  ms?(): number
  /** Milliseconds that go on when the machine's clock is set, for intervals; those of the clock when left out. */
  elapsed?(): number
}

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  ms: () => Date.now(),
  elapsed: () => performance.now(),
}

export const millisecondsOf = (clock: Clock): number => clock.ms?.() ?? clock.now() * 1000

export const elapsedOf = (clock: Clock): number => clock.elapsed?.() ?? millisecondsOf(clock)
