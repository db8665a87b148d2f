import type { Clock, Seconds } from '../../src/lib/clock.ts'

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  advance(seconds: Seconds): void
  set(now: Seconds): void
}

/** 2026-11-01 12:00:00 UTC, unless a test needs another day. */
export function testClock(start: Seconds = 1_793_534_400): TestClock {
  let now = start
  const began = performance.now()
  return {
    now: () => now,
    // Goes on between two moves, for what is limited to one a second.
    ms: () => Math.round(now * 1000 + performance.now() - began),
    advance: seconds => {
      now += seconds
    },
    set: value => {
      now = value
    },
  }
}
