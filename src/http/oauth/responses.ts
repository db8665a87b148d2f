import { type TSchema, Type } from 'typebox'
import { schemaReference } from '../../contract/reference.ts'
import { tokenErrors } from '../../errors.ts'
import { insteadOf } from '../reply/components.ts'
import { type HeaderName, headerReferences } from '../reply/headers.ts'

/** The error responses of the authorization endpoints, for the API reference. */

const OauthError = Type.Object(
  {
    error: Type.String({ enum: Object.keys(tokenErrors), description: 'RFC 6749 §5.2' }),
    error_description: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String({ description: 'The rejected scope' })),
  },
  {
    $id: 'OauthError',
    examples: [{ error: 'invalid_client', error_description: 'client authentication failed' }],
  },
)

/** The error responses by their names in the API reference. */
const errors = {
  OauthBadRequest: { status: 400, description: 'The request, the grant or the scope is not valid' },
  OauthUnauthorized: {
    status: 401,
    description: 'The client is unknown, or its authentication failed',
    headers: ['WWW-Authenticate'],
  },
  OauthBodyTooLarge: { status: 413, description: 'The request body is too large' },
  OauthMediaTypeUnsupported: {
    status: 415,
    description: 'The endpoint does not read bodies of this media type',
  },
  OauthTooManyFailures: {
    status: 429,
    description: 'Too many failed client authentications; the Retry-After header says when to try again',
    headers: ['Retry-After', 'WWW-Authenticate'],
  },
  OauthServerError: {
    status: 500,
    description: 'An internal server error. Quote the X-Request-Id header when you report it',
  },
  OauthUnavailable: {
    status: 503,
    description: 'The service cannot answer now; the Retry-After header says when to try again',
    headers: ['Retry-After'],
  },
} as const satisfies Record<string, { status: number; description: string; headers?: readonly HeaderName[] }>

const oauthErrors = (...names: (keyof typeof errors)[]): Record<number, TSchema> =>
  Object.fromEntries(names.map(name => [errors[name].status, Type.Null(insteadOf('responses', name))]))

/** Of the endpoints where clients authenticate. */
export const clientErrors = oauthErrors(...(Object.keys(errors) as (keyof typeof errors)[]))
/** Of the endpoints that anybody may read. */
export const readErrors = oauthErrors('OauthBadRequest', 'OauthServerError', 'OauthUnavailable')

export const oauthErrorComponents = Object.fromEntries(
  Object.entries<{ description: string; headers?: readonly HeaderName[] }>(errors).map(
    ([name, { description, headers = [] }]) => [
      name,
      {
        description,
        headers: headerReferences(headers),
        content: { 'application/json': { schema: { $ref: schemaReference('OauthError') } } },
      },
    ],
  ),
)

export const oauthErrorSchemas = { OauthError }

/** A response for a browser. */
export const page = (description: string, ...names: HeaderName[]) => ({
  description,
  headers: headerReferences(names),
  content: { 'text/html': { schema: Type.String() } },
})
