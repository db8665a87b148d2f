import { accessTokenLifetime, inDays } from '../../contract/lifetimes.ts'
import { maxOrderCount, maxOrderWindow } from '../../contract/paging.ts'
import type { ErrorCode, redirectErrors, tokenErrors } from '../../errors.ts'

/** Every code that an app can meet; the last is the request log's own, for an answer that was not read to its end. */
type Code = ErrorCode | keyof typeof tokenErrors | keyof typeof redirectErrors | 'answer_incomplete'

const tryLater = 'Try again after the seconds in the Retry-After header, and wait longer each time it fails.'

/** How a developer gets rid of an error: the request log says it beside the code, and docs/errors.md lists it. */
export const advice = {
  request_malformed:
    'Send a URL and headers that are well-formed: percent-encode what is in the query, a space as `%20` or `+`, and leave letters and digits of the path as they are.',
  token_missing: 'Send the access token with the request, as the header `Authorization: Bearer …`.',
  token_invalid:
    'Send an access token that `/auth/v2/token` of this server gave out, whole and unchanged. Refresh tokens and codes are none.',
  token_expired: `Access tokens last ${inDays(accessTokenLifetime)}. Use the refresh token, or ask for a new token with client_credentials, before that.`,
  token_revoked:
    'The merchant ended the access, or the app is disabled. Ask the merchant to connect the app again; do not go on retrying with this token.',
  scope_insufficient:
    'Ask for a token with the scope of this endpoint. Orders and inventory need the app’s own token (client_credentials), and an app that is registered for the scope.',
  store_forbidden:
    'No merchant allows your app this store now. `GET /integration/v1/stores` lists those that it may read; ask the merchant to connect it.',
  store_not_found: 'Check `store_id` against `GET /integration/v1/stores`.',
  route_not_found: 'Check the path against the API reference, letter by letter.',
  method_not_allowed: 'Use the method that the Allow header of the answer names.',
  request_timeout: 'Send the whole request at once, over a connection that is fast enough, and try again.',
  body_too_large: 'Send less at a time: the message of the answer says the limit.',
  media_type_unsupported:
    'Set Content-Type to what the endpoint reads: `application/x-www-form-urlencoded` for tokens, `application/x-ndjson` for records.',
  parameter_invalid:
    'The answer’s `details` name each parameter and the rule that it breaks. Times are UTC, as `2026-11-01 09:00:00`; each parameter may come once.',
  window_too_long: `Ask for at most ${maxOrderWindow / 3600} hours of orders at a time, and for longer times window by window.`,
  count_too_large: `Ask for at most ${maxOrderCount} orders a page, and read on with \`index\`.`,
  record_invalid: 'Mend the lines that `details` name and send all of them again: nothing was stored.',
  rate_limited: 'Wait for the seconds in the Retry-After header, and spread the requests out.',
  headers_too_large: 'Send fewer cookies and shorter headers and queries.',
  server_error: 'The fault is on our side: try again, and tell the operator the request id when it stays.',
  service_unavailable: tryLater,
  answer_incomplete:
    'The connection was closed before the answer was out. Read answers to their end, allow them more time, or ask for smaller pages.',
  invalid_request:
    'Send each parameter once, as a form in the body, and prove the app in one way only: header or body. The error_description says what is wrong.',
  invalid_client:
    'Check client_id and client_secret. A secret that was rotated out or retired no longer works, nor does a disabled app.',
  invalid_grant:
    'Use a code or refresh token once, by the app that got it, with the same redirect_uri and the right code_verifier. Else send the merchant through `/auth/v2/authorize` again.',
  invalid_scope:
    'Ask only for scopes that the app is registered for. A merchant’s consent gives `integration.store`; the others come with client_credentials.',
  invalid_target: 'Leave `resource` out, or send the address of this server.',
  unauthorized_client:
    'A public app has no token of its own: use authorization_code with PKCE, or register a confidential app.',
  unsupported_grant_type: 'Use authorization_code, refresh_token or client_credentials.',
  temporarily_unavailable:
    'Try again after the seconds in the Retry-After header. With status 429 the app was refused too often: check its secret first.',
  access_denied:
    'The merchant said no. Tell them what the app needs the access for, and let them start again.',
  interaction_required: 'Leave `prompt=none` out: merchants decide every time.',
  request_not_supported: 'Send the parameters one by one, without `request`.',
  request_uri_not_supported: 'Send the parameters one by one, without `request_uri`.',
  unsupported_response_type: 'Ask with `response_type=code`.',
} as const satisfies Record<Code, string>

/** Empty for a code of another release. */
export const adviceFor = (code: string): string =>
  Object.hasOwn(advice, code) ? advice[code as keyof typeof advice] : ''
