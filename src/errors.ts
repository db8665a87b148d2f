/**
 * The catalogue: every error Tillgate's APIs answer with. Codes are a closed set that integrators may program
 * against; docs/errors.md lists them, and a test holds the two together.
 */
export const catalogue = {
  request_malformed: { status: 400, meaning: 'The URL or the HTTP request itself cannot be read.' },
  token_missing: { status: 401, meaning: 'No bearer token in the Authorization header.' },
  token_invalid: { status: 401, meaning: 'The bearer token is not one that this server issued.' },
  token_expired: {
    status: 401,
    meaning: 'The access token is older than its 2 days; refresh it or ask for a new one.',
  },
  token_revoked: {
    status: 401,
    meaning: 'The token, its authorization or its app was revoked; run the authorization again.',
  },
  scope_insufficient: {
    status: 403,
    meaning: 'The token does not carry the scope that this endpoint needs.',
  },
  store_forbidden: { status: 403, meaning: 'The store exists, and this token may not access it.' },
  store_not_found: { status: 404, meaning: 'No store has this id.' },
  route_not_found: { status: 404, meaning: 'No endpoint has this path.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, with another method; the Allow header names it.',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  body_too_large: {
    status: 413,
    meaning: 'The request body, its lines or its expanded size exceed the limit.',
  },
  media_type_unsupported: {
    status: 415,
    meaning: 'The body is not in a media type or encoding that this endpoint reads.',
  },
  parameter_invalid: { status: 422, meaning: 'A parameter is missing or not valid; details name each one.' },
  window_too_long: { status: 422, meaning: 'The time between start_date and end_date is above the limit.' },
  count_too_large: { status: 422, meaning: 'count is above the limit of this list.' },
  record_invalid: {
    status: 422,
    meaning: 'A record cannot be stored; details name every bad line, and nothing was stored.',
  },
  rate_limited: { status: 429, meaning: 'Too many requests; the Retry-After header says when to try again.' },
  server_error: {
    status: 500,
    meaning: 'A fault on our side. Quote the X-Request-Id header when you report it.',
  },
  service_unavailable: {
    status: 503,
    meaning: 'The service cannot answer now; the Retry-After header says when to try again.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ErrorCode = keyof typeof catalogue

/** One thing that is wrong with a request. `line` is given for records only. */
export interface ErrorDetail {
  field: string
  code: string
  message: string
  line?: number
}

/** An error that its reader is meant to see. The cause goes to the log and never to the client. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly ErrorDetail[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, options: FailOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = catalogue[code].status
    this.details = options.details ?? []
    this.headers = options.headers ?? {}
  }
}

interface FailOptions {
  details?: readonly ErrorDetail[]
  headers?: Record<string, string>
  cause?: unknown
}

export const fail = (code: ErrorCode, message: string, options?: FailOptions): ApiError =>
  new ApiError(code, message, options)
