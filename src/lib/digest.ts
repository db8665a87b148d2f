import { hash } from 'node:crypto'

/** Four unsigned 32-bit parts, the highest first. */
export type DigestParts = [number, number, number, number]

/**
 * The digest of a set of entities: for each the first 16 bytes of SHA-256 over `id:seq` as a big-endian number, summed
 * modulo 2^128. A sum can be kept up to date: an entity that changes is subtracted and added again. The four parts are
 * summed apart, without carries, so that each sum fits an integer column of a database.
 */
export function digestParts(id: string | bigint, seq: number): DigestParts {
  const bytes = hash('sha256', `${id}:${seq}`, 'buffer')
  return [bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8), bytes.readUInt32BE(12)]
}

/** The digest of summed parts as 32 hexadecimal digits. */
export function digestOf(sums: readonly (number | bigint)[]): string {
  const sum = sums.reduce<bigint>((total, part) => (total << 32n) + BigInt(part), 0n)
  return BigInt.asUintN(128, sum).toString(16).padStart(32, '0')
}
