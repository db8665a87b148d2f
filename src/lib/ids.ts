import { randomBytes, randomFillSync } from 'node:crypto'

const idBytes = 16
/** Drawn for many names at a time: a draw costs microseconds, however little it is for. */
const drawn = Buffer.alloc(256 * idBytes)
let used = drawn.length

/** A name for a row or a request: 128 random bits, safe in URLs. */
export function randomId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += idBytes
  return drawn.toString('base64url', used - idBytes, used)
}

/** A secret that its holder keeps: 256 random bits, so one hash of it is as hard to guess as itself. */
export const randomSecret = (): string => randomBytes(32).toString('base64url')

let made = 0

/**
 * A name for a row that sorts by the second in which it was made and, within one process, by the order of making. The
 * rest is random, so that two processes never make the same.
 */
export function orderedId(seconds: number): string {
  made = (made + 1) % 36 ** 5
  const time = seconds.toString(36).padStart(7, '0')
  return `${time}${made.toString(36).padStart(5, '0')}${randomBytes(8).toString('hex')}`
}
