import type { Scope } from '../../contract/scopes.ts'
import type { Seconds } from '../../lib/clock.ts'
import { storedAt } from '../../lib/seq.ts'
import { messageBody, messageId } from '../../lib/webhook-message.ts'
import {
  type ActiveEndpoint,
  type ClaimedPosition,
  changeKinds,
  type DeliveryState,
  type DisabledReason,
  type Health,
  type NewDelivery,
} from '../../storage/port/index.ts'
import { scopeOfKind } from '../reading/changes.ts'
import { feedOf } from '../reading/feed.ts'
import { pauseAfter, readRetryAfter } from './backoff.ts'
import type { Answer } from './send.ts'

/** An endpoint that only failed for so long is disabled; other events than store.changed are given up after so long. */
const disableAfter: Seconds = 5 * 86_400
const retryFor: Seconds = 3 * 86_400

/** The event for a store as it is now. The same seq gives the same event, and the same `webhook-id`. */
export function storeChanged(
  { id: endpoint_id, scope }: ActiveEndpoint,
  { store_id, seq }: ClaimedPosition,
  history: string,
  now_ms: number,
): NewDelivery {
  const scopes = new Set(scope.split(' ') as Scope[])
  const feed = feedOf(
    history,
    changeKinds.filter(kind => scopes.has(scopeOfKind[kind])),
  )
  const at = storedAt(seq)
  const data = `{"store_id":${store_id},"seq":${seq},"feed":${JSON.stringify(feed)}}`
  return {
    endpoint_id,
    id: messageId(endpoint_id, String(store_id), feed, String(seq)),
    type: 'store.changed',
    store_id,
    body: messageBody('store.changed', at === null ? now_ms : at * 1000, data),
    created_at_ms: now_ms,
  }
}

export const isSuccess = ({ problem }: Pick<Answer, 'problem'>): boolean => problem === null

/** The state of an event after an attempt. A failed store.changed is not repeated: the next attempt has the newest seq. */
export function stateAfter(
  answer: Answer,
  { type, created_at_ms }: NewDelivery,
  now_ms: number,
): DeliveryState {
  if (isSuccess(answer)) return 'delivered'
  const isOver = type === 'store.changed' || created_at_ms + retryFor * 1000 <= now_ms
  return isOver ? 'failed' : 'pending'
}

/** What an attempt says about its endpoint. */
export function healthAfter(answer: Answer, endpoint: ActiveEndpoint, now_ms: number): Health {
  const { id: endpoint_id, failures, failing_since } = endpoint
  if (isSuccess(answer)) return { endpoint_id, failures, failed: null }
  const at = Math.floor(now_ms / 1000)
  const pause = pauseAfter(failures + 1, readRetryAfter(answer.retry_after, now_ms))
  const disable: DisabledReason | null =
    answer.status === 410
      ? 'gone'
      : failing_since !== null && failing_since + disableAfter <= at
        ? 'failing'
        : null
  return { endpoint_id, failures, failed: { retry_at_ms: Math.round(now_ms + pause), at, disable } }
}
