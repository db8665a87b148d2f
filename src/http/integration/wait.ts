import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { mayBeOmitted } from '../../contract/fields.ts'
import type { WaitingClient } from '../../domain/reading/waiting.ts'
import type { Clock, Seconds } from '../../lib/clock.ts'

/** Seconds. Proxies and clients commonly give up after 60. */
const longestWait = 30

export const wait = mayBeOmitted(
  Type.Integer({
    format: 'int32',
    minimum: 0,
    maximum: longestWait,
    default: 0,
    description:
      'Seconds to hold the request while there is nothing new; set your client’s timeout to 60 seconds',
  }),
)

/** How a request waits: until its own limit, and never longer than its token is valid. */
export function waitingTime(
  request: FastifyRequest,
  { seconds, expires_at, clock }: { seconds: number; expires_at: Seconds; clock: Clock },
) {
  const until = performance.now() + Math.min(seconds, expires_at - clock.now()) * 1000
  const client: WaitingClient = { hasLeft: false, leave() {}, waited: 0, woken_at: null }
  if (seconds > 0) request.wait = client
  return {
    client,
    /** Thousands of requests may wait: each gives up its slot and what it does not need for its answer. */
    begin(): void {
      request.ticket?.release()
      request.ticket = null
      request.raw.rawHeaders = []
      request.raw.headers.authorization = undefined
    },
    /** That are left. */
    get seconds(): number {
      return client.hasLeft ? 0 : (until - performance.now()) / 1000
    },
  }
}
