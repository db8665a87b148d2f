import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { mayBeOmitted } from '../../contract/fields.ts'
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

/** The time that a request may still wait: until its own limit, and never longer than its token is valid. */
export function waitingTime(
  request: FastifyRequest,
  reply: FastifyReply,
  { seconds, expires_at, clock }: { seconds: number; expires_at: Seconds; clock: Clock },
) {
  const until = performance.now() + Math.min(seconds, expires_at - clock.now()) * 1000
  const closed = new AbortController()
  if (seconds > 0) reply.raw.once('close', () => closed.abort())
  return {
    /** Seconds. */
    left: () => (closed.signal.aborted ? 0 : (until - performance.now()) / 1000),
    /** Waits, and returns whether it is worth while to look again. */
    async spend(hold: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
      const began = performance.now()
      try {
        return await hold(closed.signal)
      } finally {
        request.waited = (request.waited ?? 0) + performance.now() - began
      }
    },
  }
}
