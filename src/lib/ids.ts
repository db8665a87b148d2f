import { randomBytes } from 'node:crypto'

const idLength = 22
/** Random characters for 256 ids at a time: a system call costs microseconds, whatever its size. */
let drawn = ''
let used = 0

/** An id for a row or a request: 132 random bits, safe in URLs. */
export function randomId(): string {
  if (used === drawn.length) {
    drawn = randomBytes((256 * idLength * 3) / 4).toString('base64url')
    used = 0
  }
  used += idLength
  return drawn.slice(used - idLength, used)
}

/** 256 random bits: a plain hash of it cannot be reversed by guessing. */
export const randomSecret = (): string => randomBytes(32).toString('base64url')

let made = 0

/** No id of `orderedId` from this second on sorts before it. */
export const firstIdAt = (seconds: number): string => seconds.toString(36).padStart(7, '0')

/** An id that sorts by the second and, within one process, by the order of creation; random bits make it unique. */
export function orderedId(seconds: number): string {
  made = (made + 1) % 36 ** 5
  return `${firstIdAt(seconds)}${made.toString(36).padStart(5, '0')}${randomBytes(8).toString('hex')}`
}
