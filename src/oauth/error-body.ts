import type { tokenErrors } from '../errors.ts'

interface OauthErrorBody {
  error: keyof typeof tokenErrors
  error_description: string
}

/** RFC 6749 §5.2, for errors that do not come from the provider. */
export const oauthErrorBody = (status: number, error_description: string): OauthErrorBody => ({
  error: codeOf(status),
  error_description: describable(error_description),
})

function codeOf(status: number): OauthErrorBody['error'] {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/** RFC 6749 §5.2: the characters of an error_description are printable ASCII without `"` and `\`. */
export const describable = (text: string): string =>
  text.replace(/["‘’“”]/g, "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/gu, '?')
