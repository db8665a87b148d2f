import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { mayBeOmitted } from '../../contract/fields.ts'
import type { WaitingClient } from '../../domain/reading/waiting/waiter.ts'
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
): WaitingTime {
  const time = new WaitingTime(
    request,
    performance.now() + Math.min(seconds, expires_at - clock.now()) * 1000,
  )
  if (seconds > 0) request.wait = time.client
  return time
}

/** A class, because thousands of requests may wait, and functions of each would take memory. */
class WaitingTime {
  readonly client: WaitingClient = { hasLeft: false, leave: noop, waited: 0, woken_at: null }
  readonly #request: FastifyRequest
  readonly #until: number

  constructor(request: FastifyRequest, until: number) {
    this.#request = request
    this.#until = until
  }

  /** The request gives up its slot and what it does not need for its answer. */
  begin(): void {
    this.#request.ticket?.release()
    this.#request.ticket = null
    this.#request.raw.rawHeaders = []
    this.#request.raw.headers.authorization = undefined
  }

  /** That are left. */
  get seconds(): number {
    return this.client.hasLeft ? 0 : (this.#until - performance.now()) / 1000
  }
}

const noop = (): void => {}
