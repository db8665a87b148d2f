import type { TwoFactor } from '../port/index.ts'

export interface TwoFactorRow {
  secret: string
  recovery_codes: string
  created_at: number
}

/** The form of the column: a space after each hash, so that removing a hash with its space leaves the others. */
export const joinHashes = (hashes: readonly string[]): string => hashes.map(hash => `${hash} `).join('')

export const twoFactorOf = (row: TwoFactorRow | undefined): TwoFactor | null =>
  row
    ? {
        secret: row.secret,
        created_at: row.created_at,
        recovery_codes_left: row.recovery_codes.split(' ').length - 1,
      }
    : null
