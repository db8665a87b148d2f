import { randomInt } from 'node:crypto'
import { assertFree } from '../../src/lib/address.ts'

/**
 * Below those that systems give to programs that ask for any port: one of these would be taken by some connection or other test
 * between the look and the leap, once in some thousand times.
 */
const [first, count] = [16_384, 16_384]
let next = randomInt(count)

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries++) {
    const port = first + (next++ % count)
    const free = await assertFree('127.0.0.1', port).then(
      () => true,
      () => false,
    )
    if (free) return port
  }
  throw new Error('no port is free')
}
