import type { Scope } from '../../contract/scopes.ts'
import type { ErrorCode } from '../../errors.ts'

/** RFC 6750 §3: the WWW-Authenticate header for a rejected token. */

const invalidToken = (description: string): string =>
  `Bearer error="invalid_token", error_description="${description}"`

export const challenges: Partial<Record<ErrorCode, string>> = {
  // §3.1: no error code when the request has no token at all.
  token_missing: 'Bearer',
  token_invalid: invalidToken('The token is not valid'),
  token_expired: invalidToken('The token has expired'),
  token_revoked: invalidToken('The token was revoked'),
}

/** This challenge names the missing scope, so the error itself carries it. */
export const insufficientScope = (scope: Scope): Record<string, string> => ({
  'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
})
