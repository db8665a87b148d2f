import type { FastifySchema } from 'fastify'
import type { FastifySchemaCompiler } from 'fastify/types/schema.js'
import { type TObject, type TSchema, Type } from 'typebox'
import { datetime, int64 } from '../contract/fields.ts'
import { type ErrorDetail, fail, type ParameterRule } from '../errors.ts'
import type { Seconds } from '../lib/clock.ts'
import { parseDatetime } from '../lib/datetime.ts'
import { parseInt64 } from '../lib/int64.ts'

/**
 * Reads path and query parameters strictly by the route's own schema, which also documents them: an int64 arrives in
 * the handler as a bigint, a datetime as seconds. Every bad parameter is reported at once; unknown ones are ignored.
 */

export const int64Parameter = (description: string) => Type.Unsafe<bigint>(int64(description))

export const datetimeParameter = (description: string) => Type.Unsafe<Seconds>(datetime(description))

/** A check across several parameters, run on those that could be read. */
export type CrossCheck = (values: Record<string, unknown>) => ErrorDetail[]

interface ParameterSchema {
  type?: string
  format?: string
  minimum?: number
  maximum?: number
  enum?: unknown[]
  default?: unknown
}

/** The Fastify validator compiler of the integration routes. */
export const compileParameters: FastifySchemaCompiler<FastifySchema> = ({ schema }) => {
  const { properties, required = [], crossCheck } = schema as unknown as TObject & { crossCheck?: CrossCheck }
  const fields = Object.entries(properties) as [string, ParameterSchema][]
  const needed = new Set(required)
  return (input: Record<string, unknown>) => {
    const values: Record<string, unknown> = {}
    const details: ErrorDetail[] = []
    for (const [name, field] of fields) {
      const raw = Object.hasOwn(input, name) ? input[name] : undefined
      if (raw === undefined && !needed.has(name)) {
        values[name] = field.default
        continue
      }
      const problem = read(field, name, raw, values)
      if (problem) details.push(problem)
    }
    if (crossCheck) details.push(...crossCheck(values))
    return details.length === 0 ? { value: values } : { error: invalidParameters(details) }
  }
}

/** Adds a cross-check to a parameter schema, where the compiler finds it and the API reference does not. */
export function withCrossCheck<T extends TSchema>(schema: T, crossCheck: CrossCheck): T {
  return Object.defineProperty({ ...schema }, 'crossCheck', { value: crossCheck, enumerable: false })
}

/** One broken limit has a code of its own; anything else, or several at once, is parameter_invalid. */
function invalidParameters(details: ErrorDetail[]) {
  const [first, ...others] = details
  const code =
    others.length === 0 && (first?.code === 'count_too_large' || first?.code === 'window_too_long')
      ? first.code
      : 'parameter_invalid'
  return fail(code, details.map(detail => detail.message).join('; '), { details })
}

function read(
  field: ParameterSchema,
  name: string,
  raw: unknown,
  values: Record<string, unknown>,
): ErrorDetail | null {
  if (raw === undefined) return { field: name, code: 'required', message: `${name} is required` }
  if (Array.isArray(raw)) {
    return {
      field: name,
      code: 'repeated',
      message: `${name} was given ${raw.length} times; once is allowed`,
    }
  }
  const text = String(raw)
  const shown = show(text)
  const bad = (code: ParameterRule, rule: string): ErrorDetail => ({
    field: name,
    code,
    message: `${name} was ${shown}; ${rule}`,
  })
  if (field.enum) {
    if (!field.enum.includes(text)) return bad('not_allowed', `it must be one of ${field.enum.join(', ')}`)
    values[name] = text
    return null
  }
  if (field.format === 'datetime') {
    const seconds = parseDatetime(text)
    if (seconds === null) return bad('not_a_datetime', 'it must be a real UTC time as yyyy-MM-dd HH:mm:ss')
    values[name] = seconds
    return null
  }
  const integer = parseInt64(text)
  if (integer === null) {
    return /^-?\d+$/.test(text) && !/^-?0\d/.test(text) && text !== '-0'
      ? bad('out_of_range', `it must fit ${field.format}`)
      : bad('not_an_integer', 'it must be a whole number in plain digits')
  }
  if (field.format === 'int64') {
    values[name] = integer
    return null
  }
  const { minimum = 0, maximum = 0 } = field
  if (integer > maximum && name === 'count' && maximum < 2 ** 31 - 1) {
    return bad('count_too_large', `the most is ${maximum}`)
  }
  if (integer < minimum || integer > maximum) {
    return bad('out_of_range', `it must be from ${minimum} to ${maximum}`)
  }
  values[name] = Number(integer)
  return null
}

/** The value as the reader sent it, cut short; JSON keeps control characters visible. */
const show = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
