import type { ActiveEndpoint, Webhooks } from '../../storage/port/index.ts'
import type { ActiveEndpoints } from './active-endpoints.ts'
import type { Leased } from './leases.ts'
import { healthAfter, isSuccess, stateAfter } from './outcome.ts'
import { createRecorder } from './recorder.ts'
import type { Answer, Send } from './send.ts'
import { signedHeaders } from './signature.ts'

export interface DeliveryObserver {
  /** `delay_ms`: from the commit to the first attempt for it. */
  attempt(type: string, delivered: boolean, delay_ms: number | null): void
  disabled(endpoint_id: string, reason: string): void
}

interface AttemptDeps {
  webhooks: Pick<Webhooks, 'report' | 'settle' | 'trim'>
  now(): number
  send: Send
  active: ActiveEndpoints
  notice(error: unknown): void
  observe: DeliveryObserver | undefined
  /** Called after the first success of an endpoint that failed. */
  recovered(endpoint_id: string): Promise<void>
}

/** One attempt: signs and sends a leased event, and records the answer. */
export function createAttempt({ webhooks, now, send, active, notice, observe, recovered }: AttemptDeps) {
  const recorder = createRecorder({ webhooks, moved: positions => active.enqueue(positions) })

  /** Begins, prolongs or ends the backoff of the endpoint. */
  async function report(endpoint: ActiveEndpoint, answer: Answer): Promise<void> {
    const health = healthAfter(answer, endpoint, now())
    if (health.failed === null && endpoint.failures === 0) return
    const counted = await webhooks.report(health)
    const current = active.get(endpoint.id)
    if (!current || !counted) return
    if (health.failed === null) {
      active.update({ ...current, failures: 0, failing_since: null, retry_at_ms: 0 })
      await recovered(endpoint.id)
      return
    }
    const { at, retry_at_ms, disable } = health.failed
    const failing_since = current.failing_since ?? at
    active.update({ ...current, failures: endpoint.failures + 1, failing_since, retry_at_ms })
    active.queueOf(endpoint.id).clear()
    if (disable === null) return
    active.remove(endpoint.id)
    observe?.disabled(endpoint.id, disable)
  }

  return async ({ endpoint, event, lease, position, since_ms }: Leased): Promise<void> => {
    const attempted_at_ms = now()
    const headers = signedHeaders(endpoint, event.id, event.body, attempted_at_ms)
    const answer = await send(endpoint.url, headers, event.body)
    const delay = since_ms === null || endpoint.failures > 0 ? null : Math.max(0, attempted_at_ms - since_ms)
    observe?.attempt(event.type, isSuccess(answer), delay)
    const { endpoint_id, id, type, store_id, body, created_at_ms } = event
    const { status, problem, duration_ms } = answer
    // Before the lease ends: a failure begins the pause of the endpoint.
    await report(endpoint, answer).catch(notice)
    await recorder.record({
      endpoint_id,
      id,
      type,
      store_id,
      body,
      created_at_ms,
      lease,
      position,
      state: stateAfter(answer, event, now()),
      attempted_at_ms,
      duration_ms,
      status,
      problem,
      answer: answer.answer,
    })
  }
}
