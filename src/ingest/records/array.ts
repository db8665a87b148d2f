import { character } from '../../lib/characters.ts'
import type { JsonCursor } from '../../lib/json-cursor.ts'
import type { ObjectReader } from './object.ts'
import type { Problems } from './problems.ts'
import { nullOr, type Reader } from './reader.ts'

/** More cart lines than any order; it bounds the work that one line can ask for. */
const maxElements = 1000

/** A list of objects. A list that is null or left out is stored as an empty one: lists are never null. */
export class ArrayReader implements Reader {
  readonly missing = '[]'
  readonly must = 'a list'
  readonly element: ObjectReader
  /** Called when an element was read, while its fields can still be asked for. */
  onElement: ((element: ObjectReader) => void) | null = null

  constructor(element: ObjectReader) {
    this.element = element
  }

  read(cursor: JsonCursor, problems: Problems): string | null {
    if (cursor.code() !== character.openBracket) {
      nullOr(cursor, problems, true, this.must)
      return this.missing
    }
    const loose = cursor.loose
    cursor.loose = false
    const elements: string[] = []
    let asWritten = true
    cursor.expect(character.openBracket)
    if (cursor.code() !== character.closeBracket) {
      for (;;) {
        const start = cursor.at
        const replaced = this.#readElement(cursor, problems, elements.length)
        if (replaced !== null) asWritten = false
        elements.push(replaced ?? cursor.text.slice(start, cursor.at))
        cursor.space()
        if (cursor.code() !== character.comma) break
        cursor.expect(character.comma)
      }
    }
    if (cursor.code() !== character.closeBracket) cursor.fail()
    cursor.at++
    if (cursor.loose) asWritten = false
    cursor.loose ||= loose
    if (elements.length > maxElements) {
      problems.add('too_many', `has ${elements.length} elements; it must have at most ${maxElements}`)
    }
    return asWritten ? null : `[${elements.join(',')}]`
  }

  #readElement(cursor: JsonCursor, problems: Problems, index: number): string | null {
    const before = problems.count
    const replaced = this.element.read(cursor, problems)
    if (problems.count !== before) problems.prefix(before, `[${index}]`)
    else this.onElement?.(this.element)
    return replaced
  }
}
