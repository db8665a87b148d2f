import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, fail } from '../../errors.ts'
import { cutAnswer } from './cut.ts'

/** `X-Sandbox-Fault`: integrators choose how a request fails, to test their retries (TILLGATE_SANDBOX=1). */

const header = 'x-sandbox-fault'
const faults = ['429', '503', 'timeout', 'cut'] as const
type Fault = (typeof faults)[number]

/** Milliseconds that an answer is held back; clients commonly give up earlier. */
const heldFor = 60_000
/** Requests that a process holds at a time. */
const mostHeld = 200

/** `routes`: only these; otherwise all of the scope. Faults come after the token check and before anything is done. */
export function sandboxFaults(scope: FastifyInstance, routes?: readonly string[]): void {
  const held = createHeld()
  scope.addHook('preClose', async () => held.end())
  scope.addHook('preParsing', async (request, reply) => {
    if (routes && !routes.includes(request.routeOptions.url ?? '')) return
    const fault = faultOf(request)
    if (fault === null) return
    if (fault === 'cut') cutAnswer(reply.raw)
    else if (fault === 'timeout') await held.hold(request, reply)
    else throw refusals[fault]()
  })
}

function faultOf({ headers }: FastifyRequest): Fault | null {
  const value = headers[header]
  if (value === undefined) return null
  const fault = faults.find(name => name === String(value).trim().toLowerCase())
  if (fault !== undefined) return fault
  const message = `X-Sandbox-Fault is ${JSON.stringify(String(value).slice(0, 100))}; it must be one of ${faults.join(', ')}`
  throw fail('request_malformed', message)
}

const asked = 'X-Sandbox-Fault requested this response'
const retry = { headers: { 'retry-after': '1' } }

const refusals: Record<'429' | '503', () => ApiError> = {
  429: () => fail('rate_limited', asked, retry),
  503: () => fail('service_unavailable', asked, retry),
}

/** Requests that get no answer: after a minute, or when the server stops, their connections are closed. */
function createHeld() {
  const all = new Set<ServerResponse>()
  return {
    async hold(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { raw } = reply
      if (all.size >= mostHeld)
        throw fail('service_unavailable', 'Too many requests wait for their timeout', retry)
      const began = performance.now()
      reply.hijack()
      all.add(raw)
      const timer = setTimeout(() => raw.destroy(), heldFor)
      raw.once('close', () => {
        clearTimeout(timer)
        all.delete(raw)
        request.waited = performance.now() - began
      })
    },
    end(): void {
      for (const raw of all) raw.destroy()
    },
  }
}
