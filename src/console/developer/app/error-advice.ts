import { accessTokenLifetime, inDays } from '../../../contract/lifetimes.ts'
import { maxOrderCount, maxOrderWindow } from '../../../contract/paging.ts'
import type { ErrorCode, redirectErrors, tokenErrors } from '../../../errors.ts'

/** Every code that an app can get; the last exists only in the request log, for a response that was not read to its end. */
type Code = ErrorCode | keyof typeof tokenErrors | keyof typeof redirectErrors | 'answer_incomplete'

const tryLater = 'Try again after the seconds in the Retry-After header, and wait longer each time it fails.'

/** How to resolve each error: shown beside the code in the request log, and listed in docs/errors.md. */
export const advice = {
  request_malformed:
    'Send a well-formed URL and headers: percent-encode the values in the query (a space as `%20` or `+`), and do not encode letters and digits in the path.',
  token_missing: 'Send the access token with the request, as the header `Authorization: Bearer …`.',
  token_invalid:
    'Send an access token that this server’s `/auth/v2/token` issued, complete and unchanged. Refresh tokens and codes are not access tokens.',
  token_expired: `Access tokens last ${inDays(accessTokenLifetime)}. Use the refresh token, or ask for a new token with client_credentials, before that.`,
  token_revoked:
    'The merchant ended the access, or the app is disabled. Ask the merchant to connect the app again; do not retry with this token.',
  scope_insufficient:
    'Ask for a token with the scope of this endpoint. Orders and inventory need the app’s own token (client_credentials) and an app registered for the scope.',
  store_forbidden:
    'No merchant currently allows your app to read this store. `GET /integration/v1/stores` lists the stores that it may read; ask the merchant to connect this one.',
  store_not_found: 'Check `store_id` against `GET /integration/v1/stores`.',
  route_not_found: 'Check the path against the API reference, letter by letter.',
  method_not_allowed: 'Use a method that the response’s Allow header lists.',
  request_timeout: 'Send the whole request at once, over a connection that is fast enough, and try again.',
  body_too_large: 'Send less at a time: the message of the response states the limit.',
  media_type_unsupported:
    'Set Content-Type to the media type of the endpoint: `application/x-www-form-urlencoded` for tokens, `application/x-ndjson` for records.',
  parameter_invalid:
    'The response’s `details` lists each bad parameter and the rule that it breaks. Times are UTC, written as `2026-11-01 09:00:00`; send each parameter once.',
  window_too_long: `Ask for at most ${maxOrderWindow / 3600} hours of orders at a time, and split longer periods into several windows.`,
  count_too_large: `Ask for at most ${maxOrderCount} orders a page, and continue with \`index\`.`,
  record_invalid:
    'Correct the lines that `details` lists, and send the whole request again: nothing was stored.',
  rate_limited: 'Wait for the seconds in the Retry-After header, and spread the requests out.',
  headers_too_large: 'Send fewer cookies and shorter headers and queries.',
  server_error:
    'The fault is on the server’s side: try again, and report the request id to the operator if it persists.',
  service_unavailable: tryLater,
  answer_incomplete:
    'The connection closed before the response was complete. Read responses to the end, allow more time, or ask for smaller pages.',
  invalid_request:
    'Send each parameter once, as a form in the body, and authenticate in one way only: header or body. The error_description says what is wrong.',
  invalid_client:
    'Check client_id and client_secret. A secret that was rotated out or retired no longer works, nor does a disabled app.',
  invalid_grant:
    'Use a code or refresh token once, with the app that received it, the same redirect_uri and the right code_verifier. Otherwise send the merchant through `/auth/v2/authorize` again.',
  invalid_scope:
    'Ask only for scopes that the app is registered for. A merchant’s consent grants `integration.store`; client_credentials grants the others.',
  invalid_target: 'Leave `resource` out, or send the address of this server.',
  unauthorized_client:
    'A public app cannot use client_credentials: use authorization_code with PKCE, or register a confidential app.',
  unsupported_grant_type: 'Use authorization_code, refresh_token or client_credentials.',
  temporarily_unavailable:
    'Try again after the seconds in the Retry-After header. Status 429 means that the app failed to authenticate too often: check its secret first.',
  access_denied: 'The merchant denied access. Explain why the app needs it, and let them start again.',
  interaction_required: 'Leave `prompt=none` out: merchants decide every time.',
  request_not_supported: 'Send the parameters one by one, without `request`.',
  request_uri_not_supported: 'Send the parameters one by one, without `request_uri`.',
  unsupported_response_type: 'Send `response_type=code`.',
} as const satisfies Record<Code, string>

/** Empty for a code of another release. */
export const adviceFor = (code: string): string =>
  Object.hasOwn(advice, code) ? advice[code as keyof typeof advice] : ''
