import { Type } from 'typebox'
import { maxInt32 } from '../lib/int64.ts'
import { mayBeOmitted, ruleAboveMaximum } from './fields.ts'

/** Spec 2.2 */
const defaultCount = 100

/** Spec 2.2 rule 3 and section 8 */
export const maxOrderCount = 2000

/** Spec section 8: the longest order window, 2 days in seconds. */
export const maxOrderWindow = 172_800

export const index = mayBeOmitted(
  Type.Integer({
    format: 'int32',
    minimum: 0,
    maximum: maxInt32,
    default: 0,
    description: 'Page number: index × count entries are skipped',
  }),
)

/** Above a list's own limit the rule is count_too_large; without a limit, a number beyond int32 is out of range. */
export const count = (most?: number, description = 'Entries per page. A page with fewer is the last one') =>
  mayBeOmitted(
    Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: most ?? maxInt32,
      default: defaultCount,
      description,
      ...(most !== undefined && { [ruleAboveMaximum]: 'count_too_large' }),
    }),
  )
