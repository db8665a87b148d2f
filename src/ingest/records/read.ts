import { character } from '../../lib/characters.ts'
import { parseExact } from '../../lib/exact-json.ts'
import { JsonCursor, NotJson, TooDeep, token } from '../../lib/json-cursor.ts'
import type { Line } from '../../lib/lines.ts'
import { createItemReader } from './item.ts'
import { DuplicateKey } from './object.ts'
import { createOrderReader } from './order.ts'
import type { PreparedRecord } from './prepared.ts'
import { type Problem, Problems, excerpt } from './problems.ts'
import { createStoreReader } from './store.ts'

/** The longest line, in characters here and in bytes where lines are cut: 1 MiB. */
export const maxLineLength = 1_048_576

export interface RecordReader {
  /** One line: a record, everything that is wrong with it, or null for a blank line. */
  read(line: number, text: string): PreparedRecord | Problem[] | null
  /** The same for a line of `LineCutter`, which may be too long or not UTF-8. */
  readLine(line: Line): PreparedRecord | Problem[] | null
}

const kinds = ['order', 'item', 'store'] as const
type Kind = (typeof kinds)[number]

const kindKey = token('"kind"')
const kindValues = kinds.map(kind => ({ kind, value: token(`"${kind}"`) }))
const kindNames = '"store", "item" or "order"'

/** Compiles the contract's schemas once; one reader then reads any number of lines. */
export function createRecordReader(): RecordReader {
  const readStore = createStoreReader()
  const readItem = createItemReader()
  const readOrder = createOrderReader()
  const cursor = new JsonCursor()
  const problems = new Problems()

  function read(line: number, text: string): PreparedRecord | Problem[] | null {
    cursor.reset(text)
    cursor.skipSpace()
    if (cursor.atEnd) return null
    const start = cursor.at
    const kind = firstKind(cursor) ?? findKind(text)
    if (typeof kind !== 'string') return [kind]
    cursor.at = start
    const prepared = prepare(line, kind)
    cursor.skipSpace()
    if (!cursor.atEnd) cursor.fail()
    return prepared ?? problems.drain()
  }

  /** Null when there are problems. */
  function prepare(line: number, kind: Kind): PreparedRecord | null {
    if (kind === 'order') {
      const row = readOrder(cursor, problems)
      return row && { line, kind, row }
    }
    if (kind === 'item') {
      const row = readItem(cursor, problems)
      return row && { line, kind, row }
    }
    const row = readStore(cursor, problems)
    return row && { line, kind, row }
  }

  function readDuplicatesToo(line: number, text: string): PreparedRecord | Problem[] | null {
    try {
      return read(line, text)
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error
      problems.drain()
      return read(line, JSON.stringify(parseExact(text)))
    }
  }

  function tryRead(line: number, text: string): PreparedRecord | Problem[] | null {
    if (text.length > maxLineLength) return [lineFaults.too_long]
    try {
      return readDuplicatesToo(line, text)
    } catch (error) {
      problems.drain()
      return [problemOf(error, text)]
    }
  }

  return {
    read: tryRead,
    readLine: line => ('text' in line ? tryRead(line.line, line.text) : [lineFaults[line.fault]]),
  }
}

/** The kind of a record whose first field it is, as in most records. */
function firstKind(cursor: JsonCursor): Kind | undefined {
  if (cursor.code() !== character.openBrace) return undefined
  cursor.expect(character.openBrace)
  if (!cursor.accept(kindKey)) return undefined
  cursor.skipSpace()
  cursor.expect(character.colon)
  return kindValues.find(({ value }) => cursor.accept(value))?.kind
}

/** The kind of a record that has it in another place. */
function findKind(text: string): Kind | Problem {
  const value = JSON.parse(text) as unknown
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { field: '', rule: 'type', reason: `is ${excerpt(text.trim())}; it must be a JSON object` }
  }
  if (!Object.hasOwn(value, 'kind')) {
    return { field: 'kind', rule: 'required', reason: `is missing; it must be ${kindNames}` }
  }
  const { kind } = value as { kind: unknown }
  return (
    kinds.find(known => known === kind) ?? {
      field: 'kind',
      rule: 'kind',
      reason: `is ${excerpt(JSON.stringify(kind))}; it must be ${kindNames}`,
    }
  )
}

/** Problems of lines that cannot be read. */
export const lineFaults = {
  too_long: {
    field: '',
    rule: 'too_long',
    reason: `is longer than ${maxLineLength} bytes, the maximum for a line`,
  },
  not_utf8: { field: '', rule: 'not_utf8', reason: 'is not UTF-8 text' },
} satisfies Record<string, Problem>

function problemOf(error: unknown, text: string): Problem {
  // RangeError: nested too deeply for JSON.stringify.
  if (error instanceof TooDeep || error instanceof RangeError) {
    return { field: '', rule: 'too_deep', reason: 'is nested more deeply than any record' }
  }
  if (!(error instanceof NotJson || error instanceof SyntaxError)) throw error
  return { field: '', rule: 'not_json', reason: `is not JSON: ${excerpt(JSON.stringify(text.trim()))}` }
}
