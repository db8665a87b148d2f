import type { FastifySchema } from 'fastify'
import type { FastifySchemaCompiler } from 'fastify/types/schema.js'
import { type TObject, type TProperties, Type } from 'typebox'
import { datetime, fieldType, int64, ruleAboveMaximum } from '../contract/fields.ts'
import { type ErrorDetail, fail, type ParameterRule } from '../errors.ts'
import type { Seconds } from '../lib/clock.ts'
import { parseDatetime } from '../lib/datetime.ts'
import { maxInt32, minInt32, parseInt64 } from '../lib/int64.ts'

/**
 * Reads path and query parameters strictly by the route's schema: the handler gets an int64 as a bigint and a datetime
 * as seconds. All bad parameters are reported at once; unknown ones are ignored.
 */

export const int64Parameter = (description: string) => Type.Unsafe<bigint>(int64(description))

export const datetimeParameter = (description: string) => Type.Unsafe<Seconds>(datetime(description))

/** A number of a sequence: a whole number from 0 on that JavaScript represents exactly. */
export const seqParameter = (description: string) =>
  Type.Integer({ [fieldType]: 'seq', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

/** A UTC day; the handler gets the days since 1970-01-01. */
export const dayParameter = (description: string) =>
  Type.Unsafe<number>(
    Type.String({
      format: 'date',
      description: `${description}. A UTC day, yyyy-MM-dd`,
      examples: ['2026-11-01'],
    }),
  )

/** A comma-separated list of some of these values, each at most once. */
export const listParameter = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T[]>(
    Type.String({
      description: `${description}. Comma-separated, of ${values.join(', ')}`,
      [listed]: values,
    }),
  )

const listed = Symbol('listed')

/** A check across several parameters; it gets those that could be read, and all as they were given. */
type CrossCheck<T extends TProperties> = (
  values: Partial<Type.Static<TObject<T>>>,
  given: Record<string, unknown>,
) => ErrorDetail[]

const crossCheck = Symbol('crossCheck')

const limitAdvice = Symbol('limitAdvice')

/**
 * Parameters with a check across them, which the API reference does not show. `advice` is added to the message when a
 * limit is exceeded.
 */
export const checkedTogether = <T extends TProperties>(
  properties: T,
  check: CrossCheck<T>,
  advice?: string,
): TObject<T> => Type.Object(properties, { [crossCheck]: check, [limitAdvice]: advice })

interface ParametersSchema {
  properties: Record<string, ParameterSchema>
  required?: string[]
  [crossCheck]?: CrossCheck<TProperties>
  [limitAdvice]?: string | undefined
}

interface ParameterSchema {
  format?: string
  [fieldType]?: string
  minimum?: number
  maximum?: number
  enum?: readonly string[]
  default?: unknown
  [listed]?: readonly string[]
  [ruleAboveMaximum]?: ParameterRule
}

/** The Fastify validator compiler of the integration routes. */
export const compileParameters: FastifySchemaCompiler<FastifySchema> = ({ schema, httpPart }) => {
  // Headers are only documented: the code that reads one decides what it accepts.
  if (httpPart === 'headers') return () => true
  const parameters = schema as unknown as ParametersSchema
  const { properties, required = [], [crossCheck]: check, [limitAdvice]: advice } = parameters
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    default: field.default,
    read: readerOf(field),
  }))
  return (input: Record<string, unknown>) => {
    const values: Record<string, unknown> = {}
    const details: ErrorDetail[] = []
    for (const field of fields) {
      const { name } = field
      const raw = Object.hasOwn(input, name) ? input[name] : undefined
      if (raw === undefined && !field.required) {
        values[name] = field.default
        continue
      }
      const result = readOnce(name, raw, field.read)
      if ('problem' in result) details.push({ field: name, ...result.problem })
      else values[name] = result.value
    }
    if (check) details.push(...check(values, input))
    return details.length === 0 ? { value: values } : { error: invalidParameters(details, advice) }
  }
}

/** A single exceeded limit has its own code; any other problem, or several at once, is parameter_invalid. */
function invalidParameters(details: ErrorDetail[], advice?: string) {
  const limit = details.map(({ code }) => code).find(isLimit)
  const code = details.length === 1 && limit !== undefined ? limit : 'parameter_invalid'
  const messages = details.map(detail => detail.message)
  if (advice !== undefined && limit !== undefined) messages.push(advice)
  return fail(code, messages.join('; '), { details })
}

const isLimit = (code: ErrorDetail['code']): code is 'count_too_large' | 'window_too_long' =>
  code === 'count_too_large' || code === 'window_too_long'

interface Problem {
  code: ParameterRule
  message: string
}

type Result = { value: unknown } | { problem: Problem }

function readOnce(name: string, raw: unknown, read: Reader): Result {
  if (raw === undefined) return { problem: { code: 'required', message: `${name} is required` } }
  if (Array.isArray(raw)) {
    const message = `${name} was given ${raw.length} times; send it once`
    return { problem: { code: 'repeated', message } }
  }
  const text = String(raw)
  const result = read(text)
  if ('value' in result) return result
  const { code, message } = result.problem
  return { problem: { code, message: `${name} was ${show(text)}; ${message}` } }
}

/** The value as the client sent it, cut short; JSON keeps control characters visible. */
const show = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** Reads a parameter's text; the message of a problem says only the rule. */
type Reader = (text: string) => Result

function readerOf(field: ParameterSchema): Reader {
  if (field.enum) return readOneOf(field.enum)
  if (field[listed]) return readList(field[listed])
  return readers[field[fieldType] ?? field.format ?? ''] ?? readInt32(field)
}

const problem = (code: ParameterRule, message: string): Result => ({ problem: { code, message } })

const readOneOf =
  (values: readonly string[]): Reader =>
  text =>
    values.includes(text) ? { value: text } : problem('not_allowed', `it must be one of ${values.join(', ')}`)

const readDatetime: Reader = text => {
  const value = parseDatetime(text)
  return value === null
    ? problem('not_a_datetime', 'it must be a real UTC time as yyyy-MM-dd HH:mm:ss')
    : { value }
}

const readInt64: Reader = text => {
  const value = parseInt64(text)
  return value === null ? notInteger(text, 'int64') : { value }
}

const readSeq: Reader = text => {
  const value = parseInt64(text)
  if (value === null) return notInteger(text, 'int64')
  return value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? { value: Number(value) }
    : problem('out_of_range', `it must be from 0 to ${Number.MAX_SAFE_INTEGER}`)
}

const readDay: Reader = text => {
  const seconds = parseDatetime(`${text} 00:00:00`)
  return seconds === null
    ? problem('not_a_day', 'it must be a real day as yyyy-MM-dd')
    : { value: seconds / 86_400 }
}

const readText: Reader = text => (text === '' ? problem('required', 'it must not be empty') : { value: text })

const readList =
  (values: readonly string[]): Reader =>
  text => {
    const given = text.split(',')
    return given.every(value => values.includes(value)) && new Set(given).size === given.length
      ? { value: values.filter(value => given.includes(value)) }
      : problem('not_allowed', `it must be some of ${values.join(', ')}, separated by a comma, each once`)
  }

/** By the type or format of the parameter's schema. */
const readers: Record<string, Reader> = {
  datetime: readDatetime,
  int64: readInt64,
  seq: readSeq,
  date: readDay,
  text: readText,
}

function readInt32(field: ParameterSchema): Reader {
  const { minimum = minInt32, maximum = maxInt32, [ruleAboveMaximum]: ruleAbove } = field
  return text => {
    const integer = parseInt64(text)
    const above = integer === null ? /^[1-9]\d*$/.test(text) : integer > maximum
    if (above && ruleAbove !== undefined) return problem(ruleAbove, `the maximum is ${maximum}`)
    if (integer === null) return notInteger(text, 'int32')
    if (integer < minimum || integer > maximum) {
      return problem('out_of_range', `it must be from ${minimum} to ${maximum}`)
    }
    return { value: Number(integer) }
  }
}

const notInteger = (text: string, type: string): Result =>
  /^-?\d+$/.test(text) && !/^-?0\d/.test(text) && text !== '-0'
    ? problem('out_of_range', `it must fit into ${type}`)
    : problem('not_an_integer', 'it must be a whole number in plain digits')
