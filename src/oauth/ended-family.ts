import { refreshTokenLifetime } from '../contract/lifetimes.ts'
import { auditEntry, byServer } from '../domain/audit/audit.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage, TokenFamily } from '../storage/port/index.ts'
import { currentContext } from './provider-request.ts'

/** Longer than any token of the family is valid, also one that a parallel request is about to issue. */
const endedFamilyRetention = refreshTokenLifetime + 3600

/** A second use means that a code or refresh token was copied: it ends what descends from it (RFC 9700 §4.14.2). */
export async function endFamily(
  { id, generation }: TokenFamily,
  authorization_id: string,
  { storage, clock }: { storage: Storage; clock: Clock },
): Promise<void> {
  const { app_id = null, account_id = null } = (await storage.authorizations.find(authorization_id)) ?? {}
  const { address = null, request_id = null } = currentContext()?.from ?? {}
  const detail = 'a code or refresh token was used twice'
  const by = { ...byServer, address, request_id }
  const entry = auditEntry(clock, by, 'tokens_ended', { app_id, account_id, detail })
  await storage.revokedTokens.endFamily({ id, generation }, clock.now() + endedFamilyRetention, entry)
}
