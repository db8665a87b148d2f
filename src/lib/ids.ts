import { randomBytes } from 'node:crypto'

/** A name for a row: 128 random bits, safe in URLs. */
export const randomId = (): string => randomBytes(16).toString('base64url')

/** A secret that its holder keeps: 256 random bits, so one hash of it is as hard to guess as itself. */
export const randomSecret = (): string => randomBytes(32).toString('base64url')
