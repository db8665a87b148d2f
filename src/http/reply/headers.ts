import { insteadOf } from './components.ts'

const header = (type: 'string' | 'integer', description: string) => ({ description, schema: { type } })

/** The response headers that clients use, for the API reference. */
export const headers = {
  'X-Request-Id': header(
    'string',
    'The id of the request in the server’s log: quote it when you report a problem',
  ),
  ETag: header('string', 'The version of this answer: send it as `If-None-Match` with the same request'),
  Link: header('string', '`<address>; rel="next"`: the page behind this one; left out when no page follows'),
  'Retry-After': header('integer', 'Seconds to wait before the next try'),
  'RateLimit-Limit': header(
    'integer',
    'Requests that the app may make in a minute; only of `/integration`, and when the server has a limit',
  ),
  'RateLimit-Remaining': header('integer', 'Requests that are left of them'),
  'RateLimit-Reset': header('integer', 'Seconds until the next minute begins'),
  'WWW-Authenticate': header('string', 'How to authenticate, and what was wrong (RFC 6750 §3, RFC 7617)'),
  'Idempotent-Replayed': header(
    'string',
    '`true`: the answer to an earlier request with the same `Idempotency-Key`',
  ),
  Location: header('string', 'Where the browser goes'),
}

export type HeaderName = keyof typeof headers

export const rateLimit = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const

/** The headers of a response: the request id, and these. */
export const headerReferences = (names: readonly HeaderName[]) =>
  Object.fromEntries((['X-Request-Id', ...names] as const).map(name => [name, insteadOf('headers', name)]))
