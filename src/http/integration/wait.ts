import type { FastifyReply, FastifyRequest } from 'fastify'
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

/** The time that a request may still wait: until its own limit, and never longer than its token is valid. */
export function waitingTime(
  request: FastifyRequest,
  reply: FastifyReply,
  { seconds, expires_at, clock }: { seconds: number; expires_at: Seconds; clock: Clock },
) {
  const until = performance.now() + Math.min(seconds, expires_at - clock.now()) * 1000
  const client: WaitingClient = { hasLeft: false, leave() {} }
  if (seconds > 0) {
    reply.raw.once('close', () => {
      client.hasLeft = true
      client.leave()
    })
  }
  const left = () => (client.hasLeft ? 0 : (until - performance.now()) / 1000)
  return {
    /** Seconds. */
    left,
    /** Whether a change ended the wait. */
    async spend(hold: (time: HeldTime) => Promise<number | null>): Promise<boolean> {
      const began = performance.now()
      try {
        request.woken_at = await hold({ client, seconds: left() })
        return request.woken_at !== null
      } finally {
        request.waited = (request.waited ?? 0) + performance.now() - began
      }
    },
  }
}

interface HeldTime {
  client: WaitingClient
  seconds: number
}
