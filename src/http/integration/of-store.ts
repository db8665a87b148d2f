import { Type } from 'typebox'
import { errorResponses } from '../reply/error-responses.ts'
import { datetimeParameter, int64Parameter } from '../parameters.ts'

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

export const otherResponses = {
  304: Type.Null({ description: 'Nothing changed since the ETag that was sent' }),
  ...errorResponses(
    'token_missing',
    'store_forbidden',
    'store_not_found',
    'parameter_invalid',
    'rate_limited',
  ),
}
