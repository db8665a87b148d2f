import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isOriginOfApp } from '../../domain/apps/origins.ts'
import { type ApiError, fail } from '../../errors.ts'
import type { Storage } from '../../storage/port/index.ts'
import { readableBy } from '../edge/cors.ts'
import { cutAnswer } from './cut.ts'
import { createHeld } from './held.ts'
import { type Fault, faultHeader, faults, hasFaults, tokenPath } from './header.ts'

/**
 * `X-Sandbox-Fault`: integrators choose how a request fails, to test their retries (TILLGATE_SANDBOX=1). Faults come
 * after the token check. `429`, `503` and `timeout` end the request before anything is done; `cut` lets it run and cuts
 * the answer.
 */
export function sandboxFaults(app: FastifyInstance, storage: Pick<Storage, 'apps'>): void {
  const held = createHeld()
  app.addHook('preClose', async () => held.end())
  app.addHook('preParsing', async (request, reply) => {
    const { url = '' } = request.routeOptions
    if (!hasFaults(url)) return
    const fault = faultOf(request)
    if (fault === null) return
    if (fault === 'cut') return cutAnswer(reply.raw)
    // The endpoint itself finds the app in the body, which has not been read yet.
    const { origin } = request.headers
    const isPage = url === tokenPath && origin !== undefined
    if (isPage && (await isOriginOfApp(storage, origin, { publicOnly: true }))) {
      reply.headers(readableBy(origin))
    }
    if (fault !== 'timeout') throw refusals[fault]()
    held.hold(request, reply)
  })
}

function faultOf({ headers }: FastifyRequest): Fault | null {
  const value = headers[faultHeader.toLowerCase()]
  if (value === undefined) return null
  const fault = faults.find(name => name === String(value).trim().toLowerCase())
  if (fault !== undefined) return fault
  const message = `${faultHeader} is ${JSON.stringify(String(value).slice(0, 100))}; it must be one of ${faults.join(', ')}`
  throw fail('request_malformed', message)
}

const asked = `${faultHeader} requested this response`

const refusals: Record<'429' | '503', () => ApiError> = {
  429: () => fail('rate_limited', asked, { retry_after: 1 }),
  503: () => fail('service_unavailable', asked),
}
