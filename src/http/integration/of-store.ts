import { type TSchema, Type } from 'typebox'
import { datetimeParameter, int64Parameter } from '../parameters.ts'
import { type HeaderName, rateLimit } from '../reply/headers.ts'
import { type ErrorResponse, errorResponses, notModified, success } from '../reply/responses.ts'

/** Parameters and answers that the lists of one store share. */

/** For a request that a list cannot answer: `changes` has neither windows nor deep pages. */
export const followInstead = (issuer: string): string =>
  `to read everything without windows, follow GET /integration/v1/changes: ${issuer}/docs#tag/changes`

/** The API reference fills the example in: it is the first store of the demo. */
export const store_id = Type.Unsafe<bigint>({ ...int64Parameter('Store identifier'), examples: [1001] })

export const window = (length: string) => ({
  start_date: datetimeParameter('Start of the window, included'),
  end_date: datetimeParameter(`End of the window, included; ${length}`),
})

/** Of the lists that answer 304 to the `ETag` of the newest answer. */
export const ifNoneMatch = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({ description: '`ETag` of an earlier answer to the same request: 304 while it is current' }),
  ),
})

/** 200 and 304 of a list of one store. */
export const listResponses = (entry: TSchema, description: string, ...headers: HeaderName[]) => ({
  200: success(Type.Array(entry), description, 'ETag', ...headers, ...rateLimit),
  304: notModified('Nothing has changed since the answer with this ETag', 'ETag'),
})

/** The errors of every request for one store, and these. */
export const storeErrors = (...more: ErrorResponse[]) =>
  errorResponses('TokenRejected', 'StoreForbidden', 'StoreNotFound', ...more, 'RateLimited')
