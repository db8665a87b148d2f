import type { tokenErrors } from '../errors.ts'

interface OauthErrorBody {
  error: keyof typeof tokenErrors
  error_description: string
}

/** RFC 6749 §5.2, for errors that do not come from the provider. */
export const oauthErrorBody = (status: number, error_description: string): OauthErrorBody => ({
  error: codeOf(status),
  error_description,
})

function codeOf(status: number): OauthErrorBody['error'] {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
