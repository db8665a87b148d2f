import type { Clock, Seconds } from '../lib/clock.ts'

/**
 * oidc-provider reads the system clock; Tillgate injects its own. This shifts one of our times by the difference between
 * the two, which is zero outside tests.
 */
export const toSystemTime = (time: Seconds, clock: Clock): Seconds =>
  time + Math.floor(Date.now() / 1000) - clock.now()
