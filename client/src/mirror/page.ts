import type { ChangeKind } from '../types.ts'
import type { Page, RawChange } from './copy.ts'

/**
 * Takes a page of `changes` apart in one pass, without parsing the entries: their text is stored as it came, so every
 * number keeps its digits.
 */
export function readPage(text: string): Page {
  let at = 0
  const skipSpace = (): void => {
    while (text.charCodeAt(at) <= 32) at++
  }
  const isAt = (character: string): boolean => {
    skipSpace()
    return text[at] === character
  }
  function pass(character: string): void {
    if (!isAt(character))
      throw new SyntaxError(`no ${character} at ${at}: the answer is not a page of changes`)
    at++
  }
  /** The text of the value that comes next. */
  function raw(): string {
    skipSpace()
    const start = at
    at = valueEnd(text, at)
    return text.slice(start, at)
  }
  /** Calls `read` for each entry of a list; it has to pass it. */
  function list(open: string, close: string, read: () => void): void {
    pass(open)
    while (!isAt(close)) {
      read()
      if (!isAt(close)) pass(',')
    }
    at++
  }
  const object = (readMember: (name: string) => void): void =>
    list('{', '}', () => {
      const name = raw()
      pass(':')
      readMember(name)
    })
  function change(): RawChange {
    const fields: Record<string, string> = {}
    object(name => {
      fields[name] = raw()
    })
    const { '"kind"': kind, '"seq"': seq, '"id"': id, '"data"': data } = fields
    if ((kind !== '"order"' && kind !== '"item"') || !seq || !id || !data) {
      throw new SyntaxError(`a change of kind ${kind} is not known, or has no seq, id or data`)
    }
    return { kind: kind === '"order"' ? 'order' : 'item', seq: Number(seq), id, data }
  }

  const changes: RawChange[] = []
  const page: Record<string, unknown> = {}
  object(name => {
    if (name !== '"data"') return void raw()
    object(field => {
      if (field === '"changes"') list('[', ']', () => changes.push(change()))
      else page[field] = JSON.parse(raw())
    })
  })
  const { '"feed"': feed, '"next"': next, '"more"': more, '"kinds"': kinds } = page
  if (
    typeof feed !== 'string' ||
    typeof next !== 'number' ||
    typeof more !== 'boolean' ||
    !Array.isArray(kinds)
  ) {
    throw new SyntaxError('the answer is not a page of changes')
  }
  return { feed, next, more, kinds: kinds as ChangeKind[], changes }
}

const [quote, backslash, comma] = [34, 92, 44]

/** Where the value ends that begins here. */
function valueEnd(text: string, start: number): number {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      for (i++; i < text.length && text.charCodeAt(i) !== quote; i++)
        if (text.charCodeAt(i) === backslash) i++
      if (depth === 0 && i < text.length) return i + 1
      // Braces and brackets, and nothing else, differ in the bit 32.
    } else if ((code | 32) === 123) depth++
    else if ((code | 32) === 125) {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (depth === 0 && (code === comma || code <= 32)) return i
  }
  throw new SyntaxError('the answer is cut off')
}
