import type { Clock, Seconds } from '../lib/clock.ts'

/**
 * The provider reads the machine's clock and cannot be given another; ours is injected. A time of ours is moved by
 * their difference before the provider sees it. Outside tests the difference is nothing.
 */
export const toMachineTime = (time: Seconds, clock: Clock): Seconds =>
  time + Math.floor(Date.now() / 1000) - clock.now()
