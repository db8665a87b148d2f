/** The codes of the API (docs/errors.md), of OAuth, and the client's own. */
export const errorCodes = [
  'request_malformed',
  'token_missing',
  'token_invalid',
  'token_expired',
  'token_revoked',
  'scope_insufficient',
  'store_forbidden',
  'store_not_found',
  'route_not_found',
  'method_not_allowed',
  'feed_changed',
  'request_timeout',
  'body_too_large',
  'url_too_long',
  'media_type_unsupported',
  'parameter_invalid',
  'window_too_long',
  'count_too_large',
  'record_invalid',
  'rate_limited',
  'headers_too_large',
  'server_error',
  'service_unavailable',
  // RFC 6749: the token endpoint and the redirect back from the authorization endpoint.
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'temporarily_unavailable',
  'access_denied',
  'interaction_required',
  'request_not_supported',
  'request_uri_not_supported',
  'unsupported_response_type',
  // Of this library: no answer, an answer that is not the API's, and refused redirects and webhooks.
  'connection_failed',
  'response_invalid',
  'authorization_required',
  'state_mismatch',
  'issuer_mismatch',
  'webhook_invalid',
] as const

export type ErrorCode = (typeof errorCodes)[number]

export interface ErrorDetail {
  field: string
  code: string
  message: string
}

export interface ErrorFacts {
  /** HTTP status; 0 when there was no answer. */
  status?: number
  /** `X-Request-Id` of the answer: quote it when you report a problem. */
  requestId?: string | null
  details?: ErrorDetail[]
  /** Seconds, as the answer's `Retry-After` says. */
  retryAfter?: number | null
  cause?: unknown
}

/** Every failure except an abort, which rejects with the signal's reason. */
export class TillgateError extends Error {
  override readonly name = 'TillgateError'
  /** One of `ErrorCode`; a newer server may have others. */
  readonly code: ErrorCode | (string & {})
  readonly status: number
  readonly requestId: string | null
  readonly details: ErrorDetail[]
  readonly retryAfter: number | null

  constructor(code: ErrorCode | (string & {}), message: string, facts: ErrorFacts = {}) {
    super(message, { cause: facts.cause })
    this.code = code
    this.status = facts.status ?? 0
    this.requestId = facts.requestId ?? null
    this.details = facts.details ?? []
    this.retryAfter = facts.retryAfter ?? null
  }
}

/** Whether an error is one of Tillgate's, with this code if one is given. */
export const isTillgateError = (error: unknown, code?: ErrorCode): error is TillgateError =>
  error instanceof TillgateError && (code === undefined || error.code === code)
