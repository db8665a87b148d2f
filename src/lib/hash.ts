import { hash, timingSafeEqual } from 'node:crypto'

/** The one-way form of a random secret, code or token, which the database stores instead of it. */
export const sha256 = (value: string | Buffer): string => hash('sha256', value, 'base64url')

export const equalHashes = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
