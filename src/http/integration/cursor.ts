import { crc32 } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { fieldType } from '../../contract/fields.ts'
import type { ErrorDetail } from '../../errors.ts'
import { parseInt64 } from '../../lib/int64.ts'
import type { Cursor } from '../../storage/port/index.ts'

/** The parameter of every list that can be continued behind the last entry of a page. */
export const cursor = Type.Optional(
  Type.String({
    [fieldType]: 'text',
    description:
      'Continues behind the last entry of another page: taken from the `Link` header of its answer, in place of `index`',
  }),
)

interface Values {
  cursor?: string | undefined
}

/**
 * The cursors of one list: the sort key of the last entry of a page, with a checksum of the list's name and filter, so
 * that a cursor of another store or filter is refused. `key` has the type of each part of the sort key.
 */
export function createCursors<T extends Values>(
  issuer: string,
  list: string,
  {
    key,
    filter,
  }: { key: (values: Partial<T>) => readonly ('integer' | 'text')[]; filter: readonly (keyof T)[] },
) {
  const checksum = (values: Partial<T>): string =>
    crc32([list, ...filter.map(name => String(values[name]))].join(' ')).toString(36)

  const kept: readonly string[] = ['count', ...(filter as string[])]

  /** Null for a text that is no cursor of this list. */
  function decode(values: Partial<T>): Cursor | null {
    const [sum, ...parts] = parse(values.cursor ?? '')
    const types = key(values)
    if (sum !== checksum(values) || parts.length !== types.length) return null
    const decoded = parts.map((part, i) => (types[i] === 'integer' ? parseInt64(part) : textOf(part)))
    return decoded.includes(null) ? null : (decoded as Cursor)
  }

  return {
    /** A cursor excludes an index, and must be one of this list. */
    check(values: Partial<T>, given: Record<string, unknown>): ErrorDetail[] {
      if (values.cursor === undefined) return []
      if (given['index'] !== undefined) {
        return [problem('index and cursor were both sent; send one of them')]
      }
      // With a bad filter the cursor cannot be checked.
      if (filter.some(name => given[name as string] !== undefined && values[name] === undefined)) return []
      return decode(values)
        ? []
        : [problem('cursor was not taken from a Link header of this list, store and filter')]
    },
    read: (values: T): Cursor | undefined =>
      values.cursor === undefined ? undefined : (decode(values) ?? undefined),
    link(reply: FastifyReply, values: T, end: Cursor | null): void {
      if (end === null) return
      const text = JSON.stringify([checksum(values), ...end.map(String)])
      linkNext(reply, issuer, kept, `cursor=${Buffer.from(text).toString('base64url')}`)
    },
  }
}

/** Adds the address of the page that may follow. It has the list's own parameters alone, so it stays short. */
export function linkNext(
  reply: FastifyReply,
  issuer: string,
  kept: readonly string[],
  place: `cursor=${string}` | `index=${number}`,
): void {
  const { url = '' } = reply.request.raw
  // As they were sent: they have been checked, so they have no character that a header or an address must not have.
  const parameters = queryOf(url)
    .split('&')
    .filter(parameter => kept.includes(nameOf(parameter)))
  const query = [...parameters, place].join('&')
  reply.header('link', `<${issuer}${reply.request.routeOptions.url}?${query}>; rel="next"`)
}

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

/** Decoded if it can be the name of a parameter. A bad `%` would cause an exception, and one request can have thousands. */
function nameOf(parameter: string): string {
  const [name = ''] = parameter.split('=', 1)
  const isEncoded = name.includes('%') && /^(?:\w|%[2-7][\da-f])+$/i.test(name)
  return isEncoded ? decodeURIComponent(name) : name
}

/** No id has a NUL, and not every engine can compare one. */
const textOf = (part: string): string | null => (part.includes('\0') ? null : part)

function parse(text: string): string[] {
  const decoded = Buffer.from(text, 'base64url').toString()
  // Node skips what is not base64url, so another text could stand for the same cursor.
  if (Buffer.from(decoded).toString('base64url') !== text) return []
  try {
    const parts: unknown = JSON.parse(decoded)
    return Array.isArray(parts) && parts.every(part => typeof part === 'string') ? parts : []
  } catch {
    return []
  }
}

const problem = (message: string): ErrorDetail => ({ field: 'cursor', code: 'cursor_invalid', message })
