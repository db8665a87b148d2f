import type { Scope } from '../../contract/scopes.ts'
import type { ErrorCode } from '../../errors.ts'

/** RFC 6750 §3: what the WWW-Authenticate header says of a refused token. */

const invalidToken = (description: string): string =>
  `Bearer error="invalid_token", error_description="${description}"`

export const challenges: Partial<Record<ErrorCode, string>> = {
  // §3.1: no error code when the request shows no token at all.
  token_missing: 'Bearer',
  token_invalid: invalidToken('The token is not valid'),
  token_expired: invalidToken('The token has expired'),
  token_revoked: invalidToken('The token was revoked'),
}

/** This one names the scope that was missing, so it goes with the error itself. */
export const insufficientScope = (scope: Scope): Record<string, string> => ({
  'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
})
