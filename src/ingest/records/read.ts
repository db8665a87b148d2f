import { character } from '../../lib/characters.ts'
import { parseExact } from '../../lib/exact-json.ts'
import { JsonCursor, NotJson, TooDeep, token } from '../../lib/json-cursor.ts'
import type { Line } from '../../lib/lines.ts'
import type { ItemRow, OrderRow, StoreRow } from '../../storage/port/index.ts'
import { createItemReader } from './item.ts'
import { DuplicateKey } from './object.ts'
import { createOrderReader } from './order.ts'
import { type Problem, Problems, shown } from './problems.ts'
import { createStoreReader } from './store.ts'

/** A record that is valid by itself, rendered as it will be stored. */
export type Prepared = { line: number } & (
  | { kind: 'store'; row: StoreRow }
  | { kind: 'item'; row: ItemRow }
  | { kind: 'order'; row: OrderRow }
)

/** The longest line, in characters here and in bytes where lines are cut: 1 MiB. */
export const maxLineLength = 1_048_576

export interface RecordReader {
  /** One line: a record, everything that is wrong with it, or null for a blank line. */
  read(line: number, text: string): Prepared | Problem[] | null
  /** The same for a line as it was cut, which may be one that could not be read. */
  take(line: Line): Prepared | Problem[] | null
}

const kinds = ['order', 'item', 'store'] as const
type Kind = (typeof kinds)[number]

const kindKey = token('"kind"')
const kindValues = kinds.map(kind => ({ kind, value: token(`"${kind}"`) }))
const kindsShown = '"store", "item" or "order"'

/** Compiles the contract's schemas once; one reader then reads any number of lines. */
export function createRecordReader(): RecordReader {
  const readStore = createStoreReader()
  const readItem = createItemReader()
  const readOrder = createOrderReader()
  const cursor = new JsonCursor()
  const problems = new Problems()

  function read(line: number, text: string): Prepared | Problem[] | null {
    cursor.reset(text)
    cursor.space()
    if (cursor.ended) return null
    const start = cursor.at
    const kind = firstKind(cursor) ?? findKind(text)
    if (typeof kind !== 'string') return [kind]
    cursor.at = start
    const prepared = prepare(line, kind)
    cursor.space()
    if (!cursor.ended) cursor.fail()
    return prepared ?? problems.take()
  }

  /** Null when there are problems. */
  function prepare(line: number, kind: Kind): Prepared | null {
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

  function readOnce(line: number, text: string): Prepared | Problem[] | null {
    try {
      return read(line, text)
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error
      problems.take()
      return read(line, JSON.stringify(parseExact(text)))
    }
  }

  function tryRead(line: number, text: string): Prepared | Problem[] | null {
    if (text.length > maxLineLength) return [faults.too_long]
    try {
      return readOnce(line, text)
    } catch (error) {
      problems.take()
      return [faultOf(error, text)]
    }
  }

  return {
    read: tryRead,
    take: line => ('text' in line ? tryRead(line.line, line.text) : [faults[line.fault]]),
  }
}

/** The kind of a record that begins with it, as most do. */
function firstKind(cursor: JsonCursor): Kind | undefined {
  if (cursor.code() !== character.openBrace) return undefined
  cursor.expect(character.openBrace)
  if (!cursor.takes(kindKey)) return undefined
  cursor.space()
  cursor.expect(character.colon)
  return kindValues.find(({ value }) => cursor.takes(value))?.kind
}

/** The kind of a record that does not begin with it. */
function findKind(text: string): Kind | Problem {
  const value = JSON.parse(text) as unknown
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { field: '', rule: 'type', says: `is ${shown(text.trim())}; it must be a JSON object` }
  }
  if (!Object.hasOwn(value, 'kind')) {
    return { field: 'kind', rule: 'required', says: `is missing; it must be ${kindsShown}` }
  }
  const { kind } = value as { kind: unknown }
  return (
    kinds.find(known => known === kind) ?? {
      field: 'kind',
      rule: 'kind',
      says: `is ${shown(JSON.stringify(kind))}; it must be ${kindsShown}`,
    }
  )
}

/** Of lines that cannot even be read. */
export const faults = {
  too_long: {
    field: '',
    rule: 'too_long',
    says: `is longer than ${maxLineLength} bytes, the most for a line`,
  },
  not_utf8: { field: '', rule: 'not_utf8', says: 'is not UTF-8 text' },
} satisfies Record<string, Problem>

function faultOf(error: unknown, text: string): Problem {
  // RangeError: so deep that even JSON.stringify gives up.
  if (error instanceof TooDeep || error instanceof RangeError) {
    return { field: '', rule: 'too_deep', says: 'is nested more deeply than any record' }
  }
  if (!(error instanceof NotJson || error instanceof SyntaxError)) throw error
  return { field: '', rule: 'not_json', says: `is not JSON: ${shown(JSON.stringify(text.trim()))}` }
}
