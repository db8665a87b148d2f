import type { FastifySchemaCompiler } from 'fastify'
import { type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** A field that is sent once. */
export const text = Type.String()

/** Checkboxes of one name: sent once for each that is ticked. */
export const texts = Type.Array(Type.String())

/** An uploaded file; null when none was sent. */
export const file = Type.Unsafe<Buffer | null>({ format: 'file' })

export const fields = <Fields extends TProperties>(named: Fields) => Type.Object(named)

/** The fields of a form that is posted: each carries a CSRF token. */
export const form = <Fields extends TProperties>(named: Fields) => Type.Object({ _csrf: text, ...named })

/**
 * Reads what a schema names, and never fails: pages answer a hostile request like an empty one. A text that is missing
 * or repeated is empty, and so is a file; a list holds the texts that were sent.
 */
export const readFields: FastifySchemaCompiler<TObject> = ({ schema }) => {
  const readers = Object.entries(schema.properties).map(([name, field]) => [name, readerOf(field)] as const)
  return (sent: Record<string, unknown> | null) => ({
    value: Object.fromEntries(readers.map(([name, read]) => [name, read(sent?.[name])])),
  })
}

const readerOf = (field: TSchema) => {
  if ('format' in field && field.format === 'file') return readFile
  return Type.IsArray(field) ? readTexts : readText
}

const readFile = (value: unknown): Buffer | null => (Buffer.isBuffer(value) ? value : null)

const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

const readTexts = (value: unknown): string[] => [value].flat().filter(each => typeof each === 'string')
