import type { Random } from './random.ts'

// Without letters and digits that look alike.
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** The reference of a voucher, member or transaction on a receipt: a prefix and ten characters. */
export function reference(random: Random, prefix: string): string {
  let high = Math.floor(random.next() * 2 ** 25)
  let low = Math.floor(random.next() * 2 ** 25)
  let text = `${prefix}-`
  for (let n = 0; n < 5; n++) {
    text += alphabet.charAt(high & 31) + alphabet.charAt(low & 31)
    high >>= 5
    low >>= 5
  }
  return text
}
