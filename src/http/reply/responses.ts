import { type TSchema, Type } from 'typebox'
import { Envelope, ErrorEnvelope } from '../../contract/envelope.ts'
import { schemaReference } from '../../contract/reference.ts'
import { catalogue, type ErrorCode } from '../../errors.ts'
import { insteadOf } from './components.ts'
import { type HeaderName, headerReferences, rateLimit } from './headers.ts'

/** The responses of the endpoints that answer in the envelope, for the API reference. */

/** A response with a body of the schema with this name. */
export const named = (schema: string, description: string, ...names: HeaderName[]): TSchema =>
  ({ $ref: schemaReference(schema), description, headers: headerReferences(names) }) as TSchema

/** A response with a body of this schema. */
export const described = (schema: TSchema, description: string, ...names: HeaderName[]): TSchema =>
  ({ ...schema, 'x-response-description': description, headers: headerReferences(names) }) as TSchema

/** 200 with data in the envelope. */
export const success = (data: TSchema, description: string, ...names: HeaderName[]): TSchema =>
  described(Envelope(data), description, ...names)

export const notModified = (description: string, ...names: HeaderName[]): TSchema =>
  ({ ...Type.Null({ description }), headers: headerReferences([...names, ...rateLimit]) }) as TSchema

/** The headers that an error of the status may have. */
const headersOf: Partial<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate', ...rateLimit],
  403: ['WWW-Authenticate', ...rateLimit],
  404: rateLimit,
  409: rateLimit,
  422: rateLimit,
  429: ['Retry-After', ...rateLimit],
  500: rateLimit,
  503: ['Retry-After', ...rateLimit],
}

/** The error responses by their names in the API reference, with the codes of each. */
const errors = {
  RequestMalformed: ['request_malformed'],
  TokenRejected: ['token_missing', 'token_invalid', 'token_expired', 'token_revoked'],
  ScopeInsufficient: ['scope_insufficient'],
  StoreForbidden: ['scope_insufficient', 'store_forbidden'],
  StoreNotFound: ['store_not_found'],
  FeedChanged: ['feed_changed'],
  BodyTooLarge: ['body_too_large'],
  MediaTypeUnsupported: ['media_type_unsupported'],
  ParameterInvalid: ['parameter_invalid'],
  CountTooLarge: ['parameter_invalid', 'count_too_large'],
  WindowTooLong: ['parameter_invalid', 'window_too_long'],
  LimitExceeded: ['parameter_invalid', 'window_too_long', 'count_too_large'],
  RecordInvalid: ['record_invalid'],
  RateLimited: ['rate_limited'],
  ServerError: ['server_error'],
  ServiceUnavailable: ['service_unavailable'],
} as const satisfies Record<string, readonly [ErrorCode, ...ErrorCode[]]>

export type ErrorResponse = keyof typeof errors

const statusOf = (name: ErrorResponse): number => catalogue[errors[name][0]].status

/** The error responses of an endpoint: these, and those that every endpoint has. */
export const errorResponses = (...names: ErrorResponse[]): Record<number, TSchema> =>
  Object.fromEntries(
    [...names, ...(['RequestMalformed', 'ServerError', 'ServiceUnavailable'] as const)].map(name => [
      statusOf(name),
      Type.Null(insteadOf('responses', name)),
    ]),
  )

export const errorComponents = Object.fromEntries(
  (Object.keys(errors) as ErrorResponse[]).map(name => [
    name,
    {
      description: errors[name].map(code => `- \`${code}\`: ${catalogue[code].meaning}`).join('\n'),
      headers: headerReferences(headersOf[statusOf(name)] ?? []),
      content: { 'application/json': { schema: { $ref: schemaReference('ErrorEnvelope') } } },
    },
  ]),
)

export const errorSchemas = { ErrorEnvelope }
