import type { AdapterPayload } from 'oidc-provider'
import type { Artifact, Storage, TokenFamily } from '../storage/port/index.ts'

export const refreshTokenKind = 'RefreshToken'

interface StoredRefreshToken extends Pick<Artifact, 'expires_at' | 'consumed_at'> {
  payload: AdapterPayload & { grantId: string }
  family: TokenFamily
  /** Its family ended at an earlier generation, or at its own. */
  ended: boolean
}

/** A stored refresh token by the hash of its value; null when there is none. */
export async function readRefreshToken(
  hash: string,
  { storage }: { storage: Storage },
): Promise<StoredRefreshToken | null> {
  const artifact = await storage.artifacts.find(refreshTokenKind, hash)
  if (!artifact) return null
  const { family: stored, ...payload } = JSON.parse(artifact.payload) as AdapterPayload & {
    grantId: string
    family?: TokenFamily
  }
  const family = stored ?? familyOfUpgrade(payload.grantId)
  return { ...artifact, payload, family, ended: await storage.revokedTokens.has(null, family) }
}

/**
 * Tokens that were issued before there were families belong, with all that descends from them, to one family for each
 * authorization. Its generations are not told apart: a second use of one of these refresh tokens ends all of them.
 */
export const familyOfUpgrade = (authorization_id: string): TokenFamily => ({
  id: authorization_id,
  generation: 0,
})

/** Of the tokens that a refresh token gives. */
export const nextFamily = ({ family, payload }: StoredRefreshToken): TokenFamily => ({
  id: family.id,
  generation: family.id === payload.grantId ? 0 : family.generation + 1,
})
