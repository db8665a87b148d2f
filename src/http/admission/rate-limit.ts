import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import { fail } from '../../errors.ts'

/** Limits the integration requests a minute of each app, counted by each process; sends the RateLimit headers. */
export const perApp = (max: number): RateLimitPluginOptions => ({
  max,
  timeWindow: '1 minute',
  // After the token is verified, so that no client uses another app's share. Before the parameters are validated, so that
  // invalid requests count too.
  hook: 'preValidation',
  keyGenerator: request => request.principal?.claim.app_id ?? request.ip,
  enableDraftSpec: true,
  errorResponseBuilder: (_request, { max, ttl }) => {
    const seconds = Math.ceil(ttl / 1000)
    return fail('rate_limited', `This app may make ${max} requests a minute; try again in ${seconds} s`)
  },
})
