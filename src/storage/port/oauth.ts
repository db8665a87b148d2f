import type { Seconds } from '../../lib/clock.ts'
import type { App, AppSecret } from './apps.ts'
import type { AuditEntry } from './audit.ts'
import type { TokenFamily } from './authorizations.ts'

export interface Artifact {
  payload: string
  expires_at: Seconds
  consumed_at: Seconds | null
}

export type NewArtifact = [kind: string, hash: string, payload: string, expires_at: Seconds]

/** Codes, refresh tokens and interactions of the OAuth provider, and password links, stored under the hash of their value. */
export interface Artifacts {
  put(...artifact: [...NewArtifact, audit?: AuditEntry]): Promise<void>
  find(kind: string, hash: string): Promise<Artifact | null>
  /**
   * Marks an artifact as consumed and stores its successor, both or neither. A conditional update decides: true for
   * exactly one caller, and only that caller's successor is stored. `record` is stored with them; if one with its key
   * is stored and has not expired, nothing changes.
   */
  consume(kind: string, hash: string, now: Seconds, next: NewArtifact, record?: NewArtifact): Promise<boolean>
  /** True when there was one. */
  remove(kind: string, hash: string): Promise<boolean>
}

/** Access tokens that were revoked one by one, and families of tokens that ended, before they expired. */
export interface RevokedTokens {
  add(jti: string, expires_at: Seconds): Promise<void>
  /** Ends the tokens of the family from its generation on; writes the audit entry when they had not ended before. */
  endFamily(family: TokenFamily, expires_at: Seconds, audit?: AuditEntry): Promise<void>
  /** Whether the token or its family has ended; `jti` is null for a refresh token. */
  has(jti: string | null, family?: TokenFamily): Promise<boolean>
}

export interface Key {
  id: string
  use: 'sign' | 'cookie'
  /** A private JWK as JSON for `sign`, random text for `cookie`. */
  secret: string
  created_at: Seconds
  /** A retired key no longer signs; it verifies until it is removed. */
  retired_at: Seconds | null
}

export interface Keys {
  /** Newest first. */
  list(use: Key['use']): Promise<Key[]>
  /** Adds the key only if there is none of its use yet, also under parallel calls. */
  addFirst(key: Key): Promise<void>
  /** In one transaction: adds the keys, retires the others of the same use, removes those retired before `remove_before`. */
  rotate(keys: readonly Key[], remove_before: Seconds, audit?: AuditEntry): Promise<void>
}

/** The facts that every request of a client needs first. */
export interface ClientFacts {
  /** The requested id, whether it is known or not. */
  client_id: string
  app: App | null
  /** Valid secrets, newest first. */
  secrets: AppSecret[]
  /** A text that changes whenever the server's keys change. */
  keys_state: string
}

export interface Clients {
  /** In one query. */
  facts(id: string): Promise<ClientFacts>
}

/** Counters that expire, shared by every node. */
export interface Throttles {
  /** Adds one and returns the count. An expired counter starts again at one, and expires at `expires_at`. */
  hit(key: string, now: Seconds, expires_at: Seconds): Promise<number>
  count(key: string, now: Seconds): Promise<number>
  clear(key: string): Promise<void>
}
