import { Type } from 'typebox'
import { accessTokenLifetime, inDays, refreshTokenLifetime } from '../../contract/lifetimes.ts'
import { integrationScopes } from '../../contract/scopes.ts'
import { schemaReference } from '../../contract/reference.ts'
import { headerReferences } from '../reply/headers.ts'
import { described, named } from '../reply/responses.ts'
import { clientErrors, page, readErrors } from './responses.ts'

/** Spec 5.2 and 5.3 for the API reference; the provider does the validation. */

const scope = Type.String({
  description: `Space-delimited: ${integrationScopes.join(', ')}`,
  examples: ['integration.store integration.order'],
})

const clientFields = {
  client_id: Type.Optional(Type.String({ description: 'Client id; or HTTP Basic' })),
  client_secret: Type.Optional(
    Type.String({ description: 'Client secret; or HTTP Basic. Public apps have none' }),
  ),
}

const form = { tags: ['Authorization'], security: [], consumes: ['application/x-www-form-urlencoded'] }

export const authorizeSchema = {
  operationId: 'authorize',
  tags: ['Authorization'],
  security: [],
  summary: 'Authorization endpoint',
  description:
    'Send the merchant’s browser here. After consent it returns to `redirect_uri` with `code`, `state` and `iss`; ' +
    'after a denial with `error=access_denied`. A bad client_id or redirect_uri shows a page and never redirects.',
  querystring: Type.Object({
    response_type: Type.String({ enum: ['code'], description: 'Only code is accepted' }),
    client_id: Type.String({ description: 'Client id of the app' }),
    scope: Type.String({ description: 'integration.store', examples: ['integration.store'] }),
    redirect_uri: Type.String({ description: 'A registered redirect URI; a query may be added to it' }),
    state: Type.Optional(
      Type.String({ description: 'Opaque value of up to 2048 characters of any kind, returned unchanged' }),
    ),
    code_challenge: Type.Optional(Type.String({ description: 'PKCE; required of public apps' })),
    code_challenge_method: Type.Optional(Type.String({ enum: ['S256'] })),
  }),
  response: {
    303: {
      ...Type.Null({ description: 'To the consent page, or back to the app with an error' }),
      headers: headerReferences(['Location']),
    },
    400: page('The client or the redirect URI is not valid'),
    414: page('The request is longer than 12 KiB after percent-decoding'),
    429: page(
      'Too many authorization requests from one address; the Retry-After header says when to try again',
      'Retry-After',
    ),
    500: page('An internal server error'),
    503: page('The service cannot answer now; the Retry-After header says when to try again', 'Retry-After'),
    default: page('Any other error, such as headers that are too large'),
  },
}

const Tokens = Type.Object({
  access_token: Type.String({ description: 'A JWT bearer token (RFC 9068)' }),
  refresh_token: Type.Optional(Type.String({ description: 'Not with client_credentials' })),
  scope: Type.String({ description: 'Space-delimited granted scopes' }),
  token_type: Type.String({ enum: ['Bearer'] }),
  expires_in: Type.Integer({ enum: [accessTokenLifetime] }),
})

export const tokenSchema = {
  ...form,
  operationId: 'token',
  summary: 'Token endpoint',
  description:
    'Grant types `authorization_code`, `client_credentials` and `refresh_token`. An access token is valid for ' +
    `${accessTokenLifetime} s; a refresh token works once, within ${inDays(refreshTokenLifetime)}. ` +
    'A client that lost the response to an exchange with an `Idempotency-Key` sends the same request again within 10 ' +
    'minutes (public apps: 60 s), before it uses the new refresh token, and gets the same response with the header ' +
    '`Idempotent-Replayed: true`. The same key with other parameters of the grant type is 400.',
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        pattern: '^[!-~]{1,255}$',
        description:
          'For authorization_code and refresh_token: a random text for this exchange, 1 to 255 visible ASCII characters. ' +
          'A repeated request is compared by `grant_type`, `resource`, and `code`, `redirect_uri` and `code_verifier`, or ' +
          '`refresh_token` and `scope`',
      }),
    ),
  }),
  body: Type.Object({
    grant_type: Type.String({ enum: ['authorization_code', 'client_credentials', 'refresh_token'] }),
    ...clientFields,
    redirect_uri: Type.Optional(Type.String({ description: 'For authorization_code: the one authorized' })),
    code: Type.Optional(Type.String({ description: 'For authorization_code' })),
    code_verifier: Type.Optional(Type.String({ description: 'For authorization_code with PKCE' })),
    scope: Type.Optional(scope),
    refresh_token: Type.Optional(Type.String({ description: 'For refresh_token' })),
  }),
  response: {
    200: named('Tokens', 'The tokens', 'Idempotent-Replayed'),
    ...clientErrors,
  },
}

const tokenBody = Type.Object({
  token: Type.String({ description: 'An access token or a refresh token' }),
  token_type_hint: Type.Optional(Type.String({ enum: ['access_token', 'refresh_token'] })),
  ...clientFields,
})

export const revokeSchema = {
  ...form,
  operationId: 'revoke',
  summary: 'Revocation endpoint (RFC 7009)',
  description:
    'Revoking an access token ends that token. Revoking a refresh token ends the merchant’s authorization and all its ' +
    'tokens. An unknown token is answered with 200 too.',
  body: tokenBody,
  response: {
    200: described(Type.Object({}), 'Done: an empty object'),
    ...clientErrors,
  },
}

const Introspection = Type.Object({
  active: Type.Boolean(),
  client_id: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String()),
  sub: Type.Optional(
    Type.String({ description: 'The merchant account, for tokens that a merchant consented to' }),
  ),
  exp: Type.Optional(Type.Integer()),
  iat: Type.Optional(Type.Integer()),
  iss: Type.Optional(Type.String()),
  aud: Type.Optional(Type.String()),
  jti: Type.Optional(Type.String()),
  token_type: Type.Optional(Type.String()),
})

export const introspectSchema = {
  ...form,
  operationId: 'introspect',
  summary: 'Introspection endpoint (RFC 7662)',
  description: 'Whether one of the client’s own tokens is live, with its scope, expiry and subject.',
  body: tokenBody,
  response: {
    200: named('Introspection', 'What the token is; `active: false` when it is not live'),
    ...clientErrors,
  },
}

const KeySet = Type.Object({
  keys: Type.Array(Type.Object({ kty: Type.String(), kid: Type.String() })),
})

export const jwksSchema = {
  operationId: 'jwks',
  tags: ['Authorization'],
  security: [],
  summary: 'Public signing keys (RFC 7517)',
  description: 'For servers that verify access tokens themselves.',
  response: {
    200: {
      description: 'The current signing key, and earlier keys whose tokens may still be live',
      headers: headerReferences([]),
      content: { 'application/jwk-set+json': { schema: { $ref: schemaReference('KeySet') } } },
    },
    ...readErrors,
  },
}

const ServerMetadata = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
})

export const metadataSchema = {
  operationId: 'metadata',
  tags: ['Authorization'],
  security: [],
  summary: 'Authorization server metadata (RFC 8414)',
  description: 'The addresses of the endpoints, and what they support.',
  response: {
    200: named('ServerMetadata', 'The metadata'),
    ...readErrors,
  },
}

/** By their names in the API reference. */
export const oauthSchemas = {
  Tokens,
  Introspection,
  KeySet,
  ServerMetadata,
}
