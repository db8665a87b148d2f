import { type TSchema, Type } from 'typebox'
import { maxInt32, minInt32 } from '../lib/int64.ts'

/**
 * The field types of spec section 2 as schemas. `format` has only names that validators of OpenAPI know; the readers of
 * parameters and records choose their check by `fieldType` where there is none.
 */

/** A type that JSON Schema has no name for. Not shown in the API reference. */
export const fieldType = Symbol('fieldType')

export const int32 = (description: string) =>
  Type.Integer({ format: 'int32', minimum: minInt32, maximum: maxInt32, description })

export const int64 = (description: string) => Type.Integer({ format: 'int64', description })

export const decimal = (description: string, most?: number) =>
  Type.Number({
    [fieldType]: 'decimal',
    ...(most !== undefined && { minimum: -most, maximum: most }),
    description,
  })

/** Spec 2.4: yyyy-MM-dd HH:mm:ss, always UTC. */
export const datetime = (description: string) =>
  Type.String({
    [fieldType]: 'datetime',
    pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
    description: `${description}. UTC, yyyy-MM-dd HH:mm:ss`,
    examples: ['2026-11-01 09:30:00'],
  })

export const text = (description: string, options: { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ maxLength: 4000, ...options, description })

/** A text that people decide by: `lib/names.ts`. Stored rows may be older than the rule, so only records have it. */
export const name = (description: string) =>
  Type.String({ [fieldType]: 'name', minLength: 1, maxLength: 4000, description })

/** An int8 of the spec that must be a code of the table; the description lists the codes. */
export const code = (table: Readonly<Record<number, string>>, description: string) =>
  Type.Integer({
    format: 'int32',
    enum: Object.keys(table).map(Number),
    description: `${description}: ${Object.entries(table)
      .map(([value, label]) => `${value} ${label}`)
      .join('; ')}`,
  })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** For a parameter with a default: optional in the API reference, but handlers always get a value. */
export const mayBeOmitted = <T extends TSchema>(schema: T): T => Type.Optional(schema) as unknown as T

/** The rule that a number above the maximum violates, when it is not out_of_range. Not shown in the API reference. */
export const ruleAboveMaximum = Symbol('ruleAboveMaximum')
