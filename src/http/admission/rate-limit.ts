import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import { fail } from '../../errors.ts'

/** So many integration requests a minute for each app, counted by each process; told in the RateLimit headers. */
export const perApp = (max: number): RateLimitPluginOptions => ({
  max,
  timeWindow: '1 minute',
  // After the token was verified: the app is known, and nobody can use up another's share. Before the parameters are
  // looked at: bad requests count too.
  hook: 'preValidation',
  keyGenerator: request => request.principal?.claim.app_id ?? request.ip,
  enableDraftSpec: true,
  errorResponseBuilder: (_request, { max, ttl }) => {
    const seconds = Math.ceil(ttl / 1000)
    return fail('rate_limited', `This app may make ${max} requests a minute; try again in ${seconds} s`)
  },
})
