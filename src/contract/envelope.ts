import { type TSchema, Type } from 'typebox'
import { catalogue } from '../errors.ts'

/** Spec 2.1: the envelope of every answer of the integration and platform APIs. */

const ErrorDetail = Type.Object(
  {
    field: Type.String({ description: 'The parameter or record field' }),
    code: Type.String({ description: 'The rule that it broke' }),
    message: Type.String({ description: 'The value, the rule and the limit' }),
    line: Type.Optional(Type.Integer({ description: 'The line of the record, counted from 1' })),
    suggested_windows: Type.Optional(
      Type.Array(Type.Object({ start_date: Type.String(), end_date: Type.String() }), {
        description: 'The windows to ask for instead of one that is too long, at most 200',
      }),
    ),
  },
  { $id: 'ErrorDetail' },
)

const ApiError = Type.Object(
  {
    code: Type.String({
      enum: Object.keys(catalogue),
      description: 'A code of the closed set in docs/errors.md',
    }),
    message: Type.String({ description: 'What went wrong, for a person' }),
    details: Type.Array(ErrorDetail),
  },
  { $id: 'Error' },
)

const timestamp = Type.Integer({ format: 'int64', description: 'Unix time of the answer, seconds' })

const Status = Type.Object(
  {
    timestamp,
    ack: Type.Integer({ format: 'int32', enum: [200], description: 'Equals the HTTP status' }),
    errors: Type.Null(),
  },
  { $id: 'Status' },
)

export const Envelope = <T extends TSchema>(data: T) => Type.Object({ status: Status, data })

export const ErrorEnvelope = Type.Object(
  {
    status: Type.Object({
      timestamp,
      ack: Type.Integer({ format: 'int32', description: 'Equals the HTTP status' }),
      errors: ApiError,
    }),
    data: Type.Null(),
  },
  { $id: 'ErrorEnvelope' },
)
