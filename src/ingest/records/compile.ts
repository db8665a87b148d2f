import type { TSchema } from 'typebox'
import { fieldType } from '../../contract/fields.ts'
import { ArrayReader } from './array.ts'
import { decimal, int64, integer } from './numbers.ts'
import { ObjectReader } from './object.ts'
import type { Reader } from './reader.ts'
import { DatetimeReader, literal, name, onlyNull, text } from './texts.ts'

/** The parts of JSON Schema that the contract's record schemas use. */
interface Shape {
  type?: string
  format?: string
  [fieldType]?: string
  anyOf?: readonly Shape[]
  const?: string
  enum?: readonly number[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Shape
  properties?: Record<string, Shape>
}

/** The reader for a record schema of the contract, which also documents and types the record. */
export const compileRecord = (schema: TSchema): ObjectReader => compileObject(schema as Shape)

const compileObject = ({ properties = {} }: Shape): ObjectReader =>
  new ObjectReader(Object.entries(properties).map(([name, shape]) => [name, compile(shape)] as const))

function compile(shape: Shape): Reader {
  const { anyOf } = shape
  if (!anyOf) return compileValue(shape, false)
  const [value, none, ...more] = anyOf
  if (!value || none?.type !== 'null' || more.length > 0) throw unsupported(shape)
  return compileValue(value, true)
}

function compileValue(shape: Shape, nullable: boolean): Reader {
  const { type, [fieldType]: special } = shape
  if (shape.const !== undefined) return literal(shape.const)
  if (type === 'null') return onlyNull
  if (type === 'array' && shape.items) return new ArrayReader(compileObject(shape.items))
  if (special === 'datetime') return new DatetimeReader(nullable)
  if (special === 'decimal') return decimal(shape, nullable)
  if (shape.format === 'int64') return int64(nullable)
  if (type === 'integer') {
    const { minimum, maximum } = shape
    if (shape.enum) return integer({ enum: shape.enum }, nullable)
    if (minimum !== undefined && maximum !== undefined) return integer({ minimum, maximum }, nullable)
  }
  if (type === 'string' && shape.maxLength !== undefined) {
    const limits = { minLength: shape.minLength ?? 0, maxLength: shape.maxLength }
    return special === 'name' ? name(limits, nullable) : text(limits, nullable)
  }
  throw unsupported(shape)
}

/** The reader of a datetime field, for its value in seconds. */
export function datetimeOf(record: ObjectReader, name: string): DatetimeReader {
  const reader = record.reader(name)
  if (!(reader instanceof DatetimeReader)) throw new Error(`${name} is not a datetime`)
  return reader
}

/** A programming error; it shows when the server starts. */
const unsupported = (shape: Shape): Error => new Error(`no reader for the schema ${JSON.stringify(shape)}`)
