import { accessTokenLifetime, inDays } from '../../../contract/lifetimes.ts'
import { maxOrderCount, maxOrderWindow } from '../../../contract/paging.ts'
import type { ErrorCode, redirectErrors, tokenErrors } from '../../../errors.ts'

/** Codes of the request log alone: the client left before the end; the error of an authorization request is on a page. */
type LogCode = 'answer_incomplete' | 'invalid_redirect_uri'

/** Every code that an app can get. */
type Code = ErrorCode | keyof typeof tokenErrors | keyof typeof redirectErrors | LogCode

const tryLater =
  'Try again after the number of seconds in the Retry-After header, and wait longer after each failure.'

/** How a developer fixes an error. The request log shows it beside the code, and docs/errors.md lists it. */
export const advice = {
  request_malformed:
    'Send a well-formed URL and headers: percent-encode query values, a space as `%20` or `+`, and do not encode letters and digits in the path.',
  token_missing: 'Send the access token with the request, as the header `Authorization: Bearer …`.',
  token_invalid:
    'Send an access token that `/auth/v2/token` of this server issued, whole and unchanged. Refresh tokens and codes are not access tokens.',
  token_expired: `Access tokens last ${inDays(accessTokenLifetime)}. Before yours expires, use the refresh token or request a new token with client_credentials.`,
  token_revoked:
    'The merchant revoked access, a refresh token was used twice, or the app is disabled. Ask the merchant to connect the app again, and do not retry with this token.',
  scope_insufficient:
    'Request a token with the scope of this endpoint. Orders and inventory need the app’s own token (client_credentials), and an app that is registered for the scope.',
  store_forbidden:
    'Your app may not read this data of the store now. `GET /integration/v1/stores` lists the stores it can read. Ask the merchant to connect the app again: a scope that you added later needs a new consent.',
  store_not_found: 'Check `store_id` against `GET /integration/v1/stores`.',
  route_not_found: 'Compare the path with the API reference, letter by letter.',
  method_not_allowed: 'Use a method that the Allow header of the response names.',
  feed_changed:
    'The server’s history has changed, for example by a restored backup, or you ask for more kinds than before. Read the store again from `after=0` without `feed`, replace what you have, and delete what did not come.',
  request_timeout: 'Send the whole request at once, over a connection that is fast enough, and try again.',
  body_too_large: 'Send less at a time. The error message states the limit.',
  url_too_long: 'Send a shorter `state`: keep the data on your server, and send a random key to it.',
  media_type_unsupported:
    'Set Content-Type to what the endpoint reads: `application/x-www-form-urlencoded` for tokens, `application/x-ndjson` for records.',
  parameter_invalid:
    'The `details` of the response name each parameter and the rule that it breaks. Times are UTC, such as `2026-11-01 09:00:00`. Send each parameter once.',
  window_too_long: `Ask for at most ${maxOrderWindow / 3600} hours of orders at a time. Read a longer period window by window.`,
  count_too_large: `Ask for at most ${maxOrderCount} orders per page, and continue with \`index\`.`,
  record_invalid: 'Correct the lines that `message` names, then send all lines again: nothing was stored.',
  rate_limited: 'Wait for the number of seconds in the Retry-After header, and spread your requests.',
  headers_too_large: 'Send fewer cookies and shorter headers and queries.',
  server_error:
    'The fault is on the server. Try again; if it persists, report the request id to the operator.',
  service_unavailable: tryLater,
  answer_incomplete:
    'The connection was closed before the whole response was sent. Read responses to their end, raise your timeout, or request smaller pages.',
  invalid_redirect_uri:
    'Register the redirect URI on the app’s page exactly as the app sends it, and as it is at the token endpoint. `http://localhost` and `http://127.0.0.1` are two, and so are two ports.',
  invalid_request:
    'Send each parameter once, as a form in the body, and authenticate in one way only: header or body. The error_description says what is wrong.',
  invalid_client:
    'Check client_id and client_secret. A secret that was replaced or retired no longer works, and a disabled app gets no tokens.',
  invalid_grant:
    'Use each code or refresh token once, in the app that got it, with the same redirect_uri and the right code_verifier. Send an `Idempotency-Key`, so that you can repeat an exchange whose response was lost. Otherwise send the merchant through `/auth/v2/authorize` again.',
  invalid_scope:
    'Request only scopes that the app is registered for. A merchant’s consent gives `integration.store`; the others need client_credentials.',
  invalid_target: 'Omit `resource`, or send the address of this server.',
  unauthorized_client:
    'A public app cannot use client_credentials: use authorization_code with PKCE, or register a confidential app.',
  unsupported_grant_type: 'Use authorization_code, refresh_token or client_credentials.',
  temporarily_unavailable:
    'Try again after the number of seconds in the Retry-After header. With status 429 the app failed to authenticate too often: check its secret first.',
  access_denied: 'The merchant denied access. Explain what the app needs it for, and let them start again.',
  interaction_required: 'Omit `prompt=none`: merchants decide every time.',
  request_not_supported: 'Send each parameter by itself, not in `request`.',
  request_uri_not_supported: 'Send each parameter by itself, not in `request_uri`.',
  unsupported_response_type: 'Use `response_type=code`.',
} as const satisfies Record<Code, string>

/** Empty for an unknown code, which another release may have written. */
export const adviceFor = (code: string): string =>
  Object.hasOwn(advice, code) ? advice[code as keyof typeof advice] : ''
