import type { Seconds } from '../../lib/clock.ts'
import type { AuditEntry } from './audit.ts'

export const webhookEvents = [
  'store.changed',
  'authorization.granted',
  'authorization.changed',
  'authorization.revoked',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** What an endpoint may name. A test is sent on request, to every endpoint. */
export const webhookTypes = [...webhookEvents, 'webhook.test'] as const
export type WebhookType = (typeof webhookTypes)[number]

/** Why an endpoint is disabled: by a person, by the answer 410, or after days of failures. */
export type DisabledReason = 'by_hand' | 'gone' | 'failing'

export interface WebhookEndpoint {
  id: string
  app_id: string
  url: string
  events: WebhookType[]
  secret: string
  /** The secret before the last rotation, which signs too until `previous_until`. */
  previous_secret: string | null
  previous_until: Seconds | null
  created_at: Seconds
  disabled_at: Seconds | null
  reason: DisabledReason | null
  /** Failed attempts since the last success, and when the first of them was. */
  failures: number
  failing_since: Seconds | null
  /** While attempts fail: no attempt before it. */
  retry_at_ms: number
}

export interface ActiveEndpoint extends WebhookEndpoint {
  /** Of its app. */
  scope: string
  /** Rises when the app may read more of a store than before. */
  access_version: number
}

/** An endpoint and a store that it does not know the newest seq of. */
export interface DuePosition {
  endpoint_id: string
  store_id: bigint
  /** Not before it: at most one attempt a second, and none while a process has a lease. */
  next_at_ms: number
}

/** The store as it is at the attempt. */
export interface LeasedPosition {
  endpoint_id: string
  store_id: bigint
  seq: number
  /** The scopes by which the app may read the store, space-delimited. */
  scope: string
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** An event, and the newest attempt to deliver it. */
export interface WebhookDelivery {
  endpoint_id: string
  /** The `webhook-id`. */
  id: string
  type: WebhookType
  /** Of store.changed. */
  store_id: bigint | null
  body: string
  created_at_ms: number
  state: DeliveryState
  attempts: number
  attempted_at_ms: number | null
  duration_ms: number | null
  /** The answer's status; null when there was none. */
  status: number | null
  /** Why there was no answer, or why it is no success. */
  problem: string | null
  /** The beginning of the answer's body. */
  answer: string | null
}

/** A new event: nothing of an attempt yet. */
export type NewDelivery = Pick<
  WebhookDelivery,
  'endpoint_id' | 'id' | 'type' | 'store_id' | 'body' | 'created_at_ms'
>

/** How an attempt ended. */
export interface Attempt extends NewDelivery {
  lease: string
  /** For store.changed: what the endpoint knows after a success. Null for an event of the outbox. */
  position: { history: string; seq: number } | null
  state: DeliveryState
  attempted_at_ms: number
  duration_ms: number
  status: number | null
  problem: string | null
  answer: string | null
}

/** What an attempt says about its endpoint. */
export interface Health {
  endpoint_id: string
  /** The number of failures before the attempt: of parallel attempts that fail, one counts. */
  failures: number
  /** Null after a success. */
  failed: { retry_at_ms: number; at: Seconds; disable: DisabledReason | null } | null
}

/** Which positions to compare: of stores, of stores whose seq is above one, or of an endpoint in stores after one. */
export type DueScope =
  | { store_ids: readonly bigint[] }
  | { above: number }
  | { endpoint_id: string; after: bigint | null }

export interface Lease {
  id: string
  now_ms: number
  until_ms: number
}

export interface WebhookEndpoints {
  /** False, without a write, when the app has `limit` endpoints. It knows the newest seq of every store of its app. */
  create(endpoint: WebhookEndpoint, limit: number, audit?: AuditEntry): Promise<boolean>
  find(id: string): Promise<WebhookEndpoint | null>
  /** Oldest first. */
  ofApp(app_id: string): Promise<WebhookEndpoint[]>
  /** Those of enabled apps that are not paused, enabled themselves; of `ids`, or all. */
  active(ids?: readonly string[]): Promise<ActiveEndpoint[]>
  /** The former secret signs too until `previous_until`. False when the endpoint does not exist. */
  rotateSecret(id: string, secret: string, previous_until: Seconds, audit?: AuditEntry): Promise<boolean>
  /** Enabling also ends the backoff. True when it changed something. */
  setDisabled(
    id: string,
    disabled: { at: Seconds; reason: DisabledReason } | null,
    audit?: AuditEntry,
  ): Promise<boolean>
  /** With its log. True when this call removed it. */
  remove(id: string, audit?: AuditEntry): Promise<boolean>

  isPaused(app_id: string): Promise<boolean>
  /** For all endpoints of an app. True when it changed something. */
  setPaused(app_id: string, paused: boolean, audit?: AuditEntry): Promise<boolean>
  /** Counts a failure or ends the backoff; false when another attempt has counted it. */
  report(health: Health): Promise<boolean>
}

export interface WebhookPositions {
  /** Adds the positions that a store and an endpoint of its apps should have and lacks; they are due. */
  complete(endpoint_id: string): Promise<void>
  /** Positions behind their store's newest seq or of another history, without those of endpoints in backoff; by store. */
  due(scope: DueScope, history: string, now_ms: number, limit: number): Promise<DuePosition[]>
  /** Leases those that are still due and allowed, also of endpoints in backoff. */
  lease(
    positions: readonly Omit<DuePosition, 'next_at_ms'>[],
    history: string,
    lease: Lease,
  ): Promise<LeasedPosition[]>
}

export interface WebhookDeliveries {
  /**
   * Leases the oldest pending events of the endpoints, so many of each; of one in backoff only those that a person has
   * asked for.
   */
  leasePending(endpoint_ids: readonly string[], lease: Lease, of_each: number): Promise<WebhookDelivery[]>
  /** Ends leases: records attempts in the log and in the positions. Returns positions that moved meanwhile. */
  settle(attempts: readonly Attempt[]): Promise<DuePosition[]>

  /** An event that a person has asked for, sent also in backoff. */
  add(delivery: NewDelivery): Promise<void>
  /** Makes the delivery pending again; null when there is none. */
  resend(id: string): Promise<WebhookDelivery | null>
  delivery(id: string): Promise<WebhookDelivery | null>
  /** Newest first. */
  deliveries(endpoint_id: string, limit: number): Promise<WebhookDelivery[]>
  /** Whether anything was ever sent to the endpoint: the log keeps the last attempts. */
  wasCalled(endpoint_id: string): Promise<boolean>
  /** Of each endpoint keeps the newest `keep` that are not pending. */
  trim(endpoint_ids: readonly string[], keep: number): Promise<void>
  /** For the operator: deliveries of the log by state, and up to 100 endpoints that fail or are disabled. */
  summary(): Promise<WebhookSummary>
  /** When the oldest pending event of an endpoint that is called, and does not fail, was created. */
  oldestPending(): Promise<number | null>
}

export interface Webhooks extends WebhookEndpoints, WebhookPositions, WebhookDeliveries {
  /** `paused`: a restored or copied database, or one that was stopped, calls nobody. The sweep has compared all up to `watermark`. */
  sender(): Promise<{ paused: boolean; watermark: number }>
  /** Calls nobody from this database. True when it changed something. */
  stop(audit?: AuditEntry): Promise<boolean>
  /** True when it was paused. */
  resume(audit?: AuditEntry): Promise<boolean>
  /** Never lowers it. */
  setWatermark(watermark: number): Promise<void>
}

export interface WebhookSummary {
  deliveries: Record<DeliveryState, number>
  failing: FailingEndpoint[]
}

/** With its app, and why its newest failed attempt failed. */
export interface FailingEndpoint extends WebhookEndpoint {
  app_name: string
  problem: string | null
}
