import { accessTokenLifetime, inDays } from './contract/lifetimes.ts'

/**
 * Every error that Tillgate's APIs return. Integrators can rely on this closed set of codes; docs/errors.md lists them,
 * and a test fails when the two differ.
 */
export const catalogue = {
  request_malformed: { status: 400, meaning: 'The URL or the HTTP request itself is malformed.' },
  token_missing: { status: 401, meaning: 'The Authorization header has no bearer token.' },
  token_invalid: { status: 401, meaning: 'The bearer token is not one that this server issued.' },
  token_expired: {
    status: 401,
    meaning: `The access token has expired: it is valid for ${inDays(accessTokenLifetime)}. Refresh it or request a new one.`,
  },
  token_revoked: {
    status: 401,
    meaning:
      'The token or its authorization was revoked, its refresh token was used twice, or its app is disabled.',
  },
  scope_insufficient: {
    status: 403,
    meaning: 'The token does not carry the scope that this endpoint needs, or the app no longer has it.',
  },
  store_forbidden: {
    status: 403,
    meaning:
      'The store exists, but this token may not read it, or the store was not connected with the scope that the request needs.',
  },
  store_not_found: { status: 404, meaning: 'No store has this id.' },
  route_not_found: { status: 404, meaning: 'No endpoint has this path.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not support this method; the Allow header lists those that it does.',
  },
  feed_changed: {
    status: 409,
    meaning:
      'The feed of `changes` is another one now, or does not cover what is asked: read the store again from after=0.',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  body_too_large: {
    status: 413,
    meaning: 'The request body, its lines or its expanded size exceed the limit.',
  },
  url_too_long: {
    status: 414,
    meaning:
      'The URL of an authorization request exceeds the limit of 12 KiB, counted after percent-decoding, or has more than 1000 parameters.',
  },
  media_type_unsupported: {
    status: 415,
    meaning: 'The body is not in a media type or encoding that this endpoint reads.',
  },
  parameter_invalid: { status: 422, meaning: 'A parameter is missing or invalid; `details` lists each one.' },
  window_too_long: { status: 422, meaning: 'The time between start_date and end_date exceeds the limit.' },
  count_too_large: { status: 422, meaning: 'count exceeds the limit of this list.' },
  record_invalid: {
    status: 422,
    meaning:
      'A record is invalid, and nothing was stored; `message` names every bad line, `details` the problems of the first ones.',
  },
  rate_limited: { status: 429, meaning: 'Too many requests; the Retry-After header says when to try again.' },
  headers_too_large: { status: 431, meaning: 'The URL and the headers together exceed the limit of 16 KiB.' },
  server_error: {
    status: 500,
    meaning: 'An internal server error. Quote the X-Request-Id header when you report it.',
  },
  service_unavailable: {
    status: 503,
    meaning: 'The service cannot respond now; the Retry-After header says when to try again.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ErrorCode = keyof typeof catalogue

/** The rules that a parameter can break: the `code` of each detail of the 422 errors for parameters. */
export const parameterRules = {
  required: 'The parameter is missing.',
  repeated: 'The parameter was given more than once.',
  not_an_integer: 'The value is not a whole number in plain digits, for example `100`.',
  out_of_range: 'The number is outside its type or its limits.',
  not_a_day: 'The value is not a real day as `yyyy-MM-dd`.',
  not_a_datetime: 'The value is not a real UTC time as `yyyy-MM-dd HH:mm:ss`.',
  not_allowed: 'The value is not one of those that the parameter accepts.',
  cursor_invalid: '`cursor` is not one of this list, store and filter, or was sent with `index`.',
  count_too_large: '`count` exceeds the limit of this list.',
  window_reversed: '`end_date` is before `start_date`.',
  window_too_long: 'The time between `start_date` and `end_date` exceeds the limit.',
} as const satisfies Record<string, string>

/** The rules that a record can break: the `code` of each detail of record_invalid. */
export const recordRules = {
  not_json: 'The line is not JSON.',
  not_utf8: 'The line is not UTF-8 text.',
  too_long: 'The line is longer than 1 MiB.',
  too_deep: 'The line is nested more deeply than any record.',
  kind: '`kind` is not `store`, `item` or `order`.',
  required: 'The field is missing.',
  unknown_field: 'The record has no field with this name.',
  type: 'The value does not have the field’s JSON type.',
  range: 'The number is outside the field’s limits.',
  code: 'The number is not in the field’s code table.',
  length: 'The text is too short or too long.',
  name: 'The name is blank, or has control, invisible or direction-changing characters.',
  unicode: 'The text is not well-formed Unicode, or contains U+0000.',
  datetime: 'The value is not a real UTC time as `yyyy-MM-dd HH:mm:ss`.',
  future: '`updated_at` is more than 24 hours ahead of the server’s clock.',
  timezone: 'The value is not a name in the IANA time zone database.',
  email: 'The value is not an email address.',
  too_many: 'The list has too many elements.',
  store_unknown: 'No store has this id, and no earlier line adds one.',
} as const satisfies Record<string, string>

/** RFC 6749 §5.2 and its extensions: the errors of the token, introspection and revocation endpoints. */
export const tokenErrors = {
  invalid_request:
    'A parameter is missing, repeated or malformed, the client authenticated in two ways, or its Idempotency-Key is malformed or was used with other parameters.',
  invalid_client:
    'The client is unknown or disabled, its secret is wrong, or the Authorization header is not readable HTTP Basic.',
  invalid_grant:
    'The code or refresh token is unknown, expired, used, revoked or another client’s, or its redirect URI or verifier does not match.',
  invalid_scope: 'The scope is unknown, not registered for the app, or not available with this grant type.',
  invalid_target: '`resource` is not this server.',
  unauthorized_client: 'The app may not use this grant type: a public app cannot use client_credentials.',
  unsupported_grant_type: '`grant_type` is not authorization_code, refresh_token or client_credentials.',
  server_error: 'An internal server error. Quote the X-Request-Id header when you report it.',
  temporarily_unavailable:
    'Too many failed client authentications (429), or the service cannot respond now (503).',
} as const satisfies Record<string, string>

/** RFC 6749 §4.1.2.1 and its extensions: the `error` in the redirect back to the app. */
export const redirectErrors = {
  access_denied: 'The merchant denied access.',
  interaction_required: 'The app sent `prompt=none`, but the merchant decides on every request.',
  invalid_request: 'A parameter is missing, repeated or malformed; or a public app sent no PKCE challenge.',
  invalid_scope:
    'The scope is unknown, not registered for the app, or not available by a merchant’s consent.',
  invalid_target: '`resource` is not this server.',
  request_not_supported: 'The `request` parameter is not supported.',
  request_uri_not_supported: 'The `request_uri` parameter is not supported.',
  unsupported_response_type: '`response_type` is not `code`.',
} as const satisfies Record<string, string>

export type ParameterRule = keyof typeof parameterRules
export type RecordRule = keyof typeof recordRules

/** One problem of a request. Only records have a `line`. */
export interface ErrorDetail {
  field: string
  code: ParameterRule | RecordRule
  message: string
  line?: number
  /** The windows to ask for instead of one that is too long. */
  suggested_windows?: readonly { start_date: string; end_date: string }[]
}

/** An error that the client sees. Its cause goes to the log only. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly ErrorDetail[]
  readonly headers: Readonly<Record<string, string>>
  /** The app that sent the request, if known; a rejected request has no principal. */
  readonly app_id: string | null

  constructor(code: ErrorCode, message: string, options: FailOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = catalogue[code].status
    this.details = options.details ?? []
    // The meaning of service_unavailable promises the header.
    const { headers = {}, retry_after = code === 'service_unavailable' ? 1 : null } = options
    this.headers = retry_after === null ? headers : { ...headers, 'retry-after': String(retry_after) }
    this.app_id = options.app_id ?? null
  }
}

interface FailOptions {
  details?: readonly ErrorDetail[]
  headers?: Record<string, string>
  /** Seconds after which the client may try again; 1 for service_unavailable. */
  retry_after?: number
  app_id?: string
  cause?: unknown
}

export const fail = (code: ErrorCode, message: string, options?: FailOptions): ApiError =>
  new ApiError(code, message, options)
