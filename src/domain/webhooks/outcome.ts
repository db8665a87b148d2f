import type { Seconds } from '../../lib/clock.ts'
import type {
  ActiveEndpoint,
  DeliveryState,
  DisabledReason,
  Health,
  NewDelivery,
} from '../../storage/port/index.ts'
import { pauseAfter, readRetryAfter } from './backoff.ts'
import type { Answer } from './send.ts'

/** An endpoint that only failed for so long is disabled; other events than store.changed are given up after so long. */
const disableAfter: Seconds = 5 * 86_400
const retryFor: Seconds = 3 * 86_400

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
