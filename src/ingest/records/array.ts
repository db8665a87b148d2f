import { character } from '../../lib/characters.ts'
import type { JsonCursor } from '../../lib/json-cursor.ts'
import type { ObjectReader } from './object.ts'
import type { Problems } from './problems.ts'
import { readNull, type Reader } from './reader.ts'

/** More cart lines than any order has; it bounds the work that one line can cause. */
const maxElements = 1000

/** A list of objects. A list that is null or left out is stored as an empty one. */
export class ArrayReader implements Reader {
  readonly missing = '[]'
  readonly must = 'a list'
  readonly element: ObjectReader
  /** Called after each element, while `element` still holds its fields. */
  onElement: ((element: ObjectReader) => void) | null = null

  constructor(element: ObjectReader) {
    this.element = element
  }

  read(cursor: JsonCursor, problems: Problems): string | null {
    if (cursor.code() !== character.openBracket) {
      readNull(cursor, problems, true, this.must)
      return this.missing
    }
    const outer = cursor.nonCanonical
    cursor.nonCanonical = false
    const elements: string[] = []
    let canonical = true
    cursor.expect(character.openBracket)
    if (cursor.code() !== character.closeBracket) {
      for (;;) {
        const start = cursor.at
        const replaced = this.#readElement(cursor, problems, elements.length)
        if (replaced !== null) canonical = false
        elements.push(replaced ?? cursor.text.slice(start, cursor.at))
        cursor.skipSpace()
        if (cursor.code() !== character.comma) break
        cursor.expect(character.comma)
      }
    }
    if (cursor.code() !== character.closeBracket) cursor.fail()
    cursor.at++
    if (cursor.nonCanonical) canonical = false
    cursor.nonCanonical ||= outer
    if (elements.length > maxElements) {
      problems.add('too_many', `has ${elements.length} elements; it must have at most ${maxElements}`)
    }
    return canonical ? null : `[${elements.join(',')}]`
  }

  #readElement(cursor: JsonCursor, problems: Problems, index: number): string | null {
    const before = problems.count
    const replaced = this.element.read(cursor, problems)
    if (problems.count !== before) problems.prefix(before, `[${index}]`)
    else this.onElement?.(this.element)
    return replaced
  }
}
