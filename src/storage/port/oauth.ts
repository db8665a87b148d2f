import type { Seconds } from '../../lib/clock.ts'
import type { App, AppSecret } from './apps.ts'
import type { AuditEntry } from './audit.ts'

export interface Artifact {
  payload: string
  expires_at: Seconds
  consumed_at: Seconds | null
}

export type NewArtifact = [kind: string, hash: string, payload: string, expires_at: Seconds]

/** Codes, refresh tokens and interactions of the OAuth provider, known by the hash of their value only. */
export interface Artifacts {
  put(...artifact: NewArtifact): Promise<void>
  find(kind: string, hash: string): Promise<Artifact | null>
  /**
   * Marks one as used and puts what takes its place, both or neither. A conditional update decides: true for exactly
   * one caller, ever, and nobody else's is put.
   */
  consume(kind: string, hash: string, now: Seconds, next: NewArtifact): Promise<boolean>
  remove(kind: string, hash: string): Promise<void>
}

/** Access tokens revoked one by one before their time. */
export interface RevokedTokens {
  add(jti: string, expires_at: Seconds): Promise<void>
  has(jti: string): Promise<boolean>
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
  /** Adds the key only if none of its use exists yet, whoever else tries at the same time. */
  addFirst(key: Key): Promise<void>
  /** Adds the keys, retires the others of their uses, removes those retired before `remove_before`; all or nothing. */
  rotate(keys: readonly Key[], remove_before: Seconds, audit?: AuditEntry): Promise<void>
}

/** What every request of a client begins with. */
export interface ClientFacts {
  /** Whom they are about, known or not. */
  client_id: string
  app: App | null
  /** Those that work now, newest first. */
  secrets: AppSecret[]
  /** Another text whenever the server's keys are others. */
  keys_state: string
}

export interface Clients {
  /** All of it in one question. */
  facts(id: string): Promise<ClientFacts>
}

/** Counters that expire, shared by every node. */
export interface Throttles {
  /** Counts one more and answers the number. A counter that has expired begins again, and expires at `expires_at`. */
  hit(key: string, now: Seconds, expires_at: Seconds): Promise<number>
  count(key: string, now: Seconds): Promise<number>
  clear(key: string): Promise<void>
}
