import type { ErrorCode } from '../../errors.ts'

/**
 * RFC 6750 §3: the WWW-Authenticate header for a rejected token. For a missing scope the error sets the header itself,
 * because it names the scope.
 */

const invalidToken = (description: string): string =>
  `Bearer error="invalid_token", error_description="${description}"`

export const challenges: Partial<Record<ErrorCode, string>> = {
  // §3.1: no error code when the request has no token at all.
  token_missing: 'Bearer',
  token_invalid: invalidToken('The token is not valid'),
  token_expired: invalidToken('The token has expired'),
  token_revoked: invalidToken('The token was revoked'),
}
