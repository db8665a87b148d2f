import { messageBody, messageId } from '../../lib/webhook-message.ts'
import type { NewDelivery, WebhookEndpoint, WebhookEvent, WebhookType } from '../port/index.ts'

/** A row of `webhook_endpoints`. */
export type EndpointRow = Omit<WebhookEndpoint, 'events'> & { events: string }

export const endpointColumns = `webhook_endpoints.id, webhook_endpoints.app_id, url, events, webhook_endpoints.secret,
  previous_secret, previous_until, webhook_endpoints.created_at, webhook_endpoints.disabled_at, reason, failures,
  failing_since, retry_at_ms`

export const deliveryColumns = `endpoint_id, id, type, store_id, body, created_at_ms, state, attempts, attempted_at_ms,
  duration_ms, status, problem, answer`

/** Columns besides those of the endpoint are kept. */
export const toEndpoint = <Row extends EndpointRow>(row: Row): WebhookEndpoint & Omit<Row, 'events'> => ({
  ...row,
  events: row.events.split(' ') as WebhookType[],
})

/** What a transaction has done to an authorization. */
export interface AuthorizationChange {
  authorization_id: string
  event: Extract<WebhookEvent, `authorization.${string}`>
  added: readonly bigint[]
  removed: readonly bigint[]
  /** Stores that it covered before have other scopes now. */
  rescoped: boolean
}

/** Stores that were removed from live authorizations, as one change of each. */
export const changesOf = (
  removed: readonly { authorization_id: string; store_id: bigint }[],
): AuthorizationChange[] =>
  [...Map.groupBy(removed, row => row.authorization_id)].map(([authorization_id, rows]) => ({
    authorization_id,
    event: 'authorization.changed',
    added: [],
    removed: rows.map(({ store_id }) => store_id),
    rescoped: false,
  }))

/** With the app, and the stores of the event: the whole set after the change; of a revocation, before it. */
interface RecordedChange extends Omit<AuthorizationChange, 'added' | 'removed' | 'rescoped'> {
  app_id: string
  revision: number
  store_ids: readonly bigint[]
}

type Receiver = Pick<EndpointRow, 'id' | 'app_id' | 'events'>

/** One event for each endpoint of the app that wants it. */
export function eventsOf(
  changes: readonly RecordedChange[],
  endpoints: readonly Receiver[],
  now_ms: number,
): NewDelivery[] {
  return changes.flatMap(({ authorization_id, app_id, revision, event, store_ids }) =>
    endpoints
      .filter(endpoint => endpoint.app_id === app_id && endpoint.events.split(' ').includes(event))
      .map(({ id: endpoint_id }) => ({
        endpoint_id,
        id: messageId(endpoint_id, authorization_id, String(revision)),
        type: event,
        store_id: null,
        body: messageBody(
          event,
          now_ms,
          `{"authorization_id":${JSON.stringify(authorization_id)},"revision":${revision},"store_ids":[${store_ids.join(',')}]}`,
        ),
        created_at_ms: now_ms,
      })),
  )
}
