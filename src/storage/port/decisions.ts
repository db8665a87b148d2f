import type { Seconds } from '../../lib/clock.ts'
import type { AuditEntry } from './audit.ts'
import type { Authorization } from './authorizations.ts'

/** A merchant's decision on an authorization request. */
export interface Decision {
  decision: 'allow' | 'deny'
  app_id: string
  account_id: string
  /** The authorization that was created or changed; null for a denial. */
  authorization_id: string | null
}

/** The authorization request that is decided on, by the hash of its id, and how long the decision is kept. */
export interface DecidedRequest {
  hash: string
  expires_at: Seconds
}

/**
 * The first decision on a request counts: each method stores the decision, what it changes and the audit entry in one
 * transaction, or nothing when the request has a decision already (`too_late`).
 */
export interface Decisions {
  /** The authorization then covers exactly these stores. `not_owner`: nothing is stored, as when `save` returns null. */
  allow(
    request: DecidedRequest,
    authorization: Pick<Authorization, 'id' | 'app_id' | 'scope'> & { account_id: string; merchant: string },
    store_ids: readonly bigint[],
    now: Seconds,
    audit: AuditEntry,
  ): Promise<'recorded' | 'too_late' | 'not_owner'>
  deny(
    request: DecidedRequest,
    by: Pick<Decision, 'app_id' | 'account_id'>,
    audit: AuditEntry,
  ): Promise<'recorded' | 'too_late'>
  find(hash: string, now: Seconds): Promise<Decision | null>
}
