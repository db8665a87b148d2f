import { type JsonCursor, token } from '../../lib/json-cursor.ts'
import { type Problems, excerpt, step } from './problems.ts'
import { maxDepth, type Reader, reportWrongType } from './reader.ts'

/** Thrown for a repeated key; the caller then reads the record with JSON.parse, where the last one wins. */
export class DuplicateKey extends Error {
  override name = 'DuplicateKey'
}

interface Field {
  name: string
  /** The field's part of a path such as `.carts[0].count`. */
  step: string
  /** `"name":` as code units, to compare with the line. */
  token: Uint16Array
  /** `"name":` as text, to store. */
  key: string
  reader: Reader
}

/**
 * Reads an object and renders it in canonical form: every key, in the schema's order, without white space. An object
 * that already has this form, as most senders write it, is a slice of its line and is not copied. Afterwards `value`
 * returns the text of each field.
 */
export class ObjectReader implements Reader {
  readonly missing = null
  readonly must = 'an object'
  readonly #fields: readonly Field[]
  readonly #indexes: ReadonlyMap<string, number>
  /** For each field the one that followed it last time: the first guess for the next key. The last element is for the first key. */
  readonly #expectedNext: Int16Array
  readonly #starts: Int32Array
  /** Zero when the field is missing. */
  readonly #ends: Int32Array
  readonly #replaced: (string | null)[]
  /** About the last object: its line, and whether it is in canonical form there. */
  #text = ''
  #canonical = false

  constructor(fields: readonly (readonly [name: string, reader: Reader])[]) {
    this.#fields = fields.map(([name, reader]) => {
      const key = `${JSON.stringify(name)}:`
      return { name, step: step(name), token: token(key), key, reader }
    })
    this.#indexes = new Map(fields.map(([name], index) => [name, index]))
    this.#expectedNext = Int16Array.from([...fields.map((_, index) => index + 1), 0])
    this.#starts = new Int32Array(fields.length)
    this.#ends = new Int32Array(fields.length)
    this.#replaced = fields.map(() => null)
  }

  read(cursor: JsonCursor, problems: Problems): string | null {
    if (cursor.code() !== 0x7b) return reportWrongType(cursor, problems, this.must)
    this.scan(cursor, problems)
    return this.#canonical ? null : `{${this.render(0)}}`
  }

  /** Reads the object at the cursor without rendering it. */
  scan(cursor: JsonCursor, problems: Problems): void {
    const outer = cursor.nonCanonical
    cursor.nonCanonical = false
    this.#text = cursor.text
    this.#ends.fill(0)
    this.#canonical = true
    cursor.expect(0x7b)
    const last = cursor.code() === 0x7d ? -1 : this.#scanFields(cursor, problems)
    if (cursor.code() !== 0x7d) cursor.fail()
    cursor.at++
    if (cursor.nonCanonical || last !== this.#fields.length - 1) this.#canonical = false
    cursor.nonCanonical ||= outer
    if (!this.#canonical) this.#fillMissing(problems)
  }

  /** Returns the index of the last field. */
  #scanFields(cursor: JsonCursor, problems: Problems): number {
    const fields = this.#fields
    let last = fields.length
    for (;;) {
      const index = this.#readKey(cursor, problems, last)
      if (index === -1) this.#canonical = false
      else {
        const field = fields[index] as Field
        if (this.#ends[index] !== 0) throw new DuplicateKey(field.name)
        if (index !== (last === fields.length ? 0 : last + 1)) this.#canonical = false
        const before = problems.count
        this.#starts[index] = cursor.at
        const replaced = field.reader.read(cursor, problems)
        this.#replaced[index] = replaced
        this.#ends[index] = cursor.at
        if (replaced !== null) this.#canonical = false
        if (problems.count !== before) problems.prefix(before, field.step)
        last = index
      }
      cursor.skipSpace()
      if (cursor.code() !== 0x2c) return last
      cursor.expect(0x2c)
    }
  }

  /** Moves over a key; returns the field's index. An unknown field is reported, skipped, and -1. */
  #readKey(cursor: JsonCursor, problems: Problems, last: number): number {
    const guess = this.#fields[this.#expectedNext[last] as number]
    if (guess !== undefined && cursor.accept(guess.token)) {
      cursor.skipSpace()
      return this.#expectedNext[last] as number
    }
    const name = cursor.readKey()
    const index = this.#indexes.get(name)
    if (index !== undefined) {
      this.#expectedNext[last] = index
      return index
    }
    const start = cursor.at
    cursor.skipValue(maxDepth)
    const value = excerpt(cursor.text.slice(start, cursor.at))
    problems.add('unknown_field', `is ${value}; it is not a field that can be stored`, step(name))
    return -1
  }

  /** Sets missing fields to null or an empty list, or reports them as required. */
  #fillMissing(problems: Problems): void {
    const ends = this.#ends
    for (let index = 0; index < ends.length; index++) {
      if (ends[index] !== 0) continue
      const field = this.#fields[index] as Field
      if (field.reader.missing === null) {
        problems.add('required', `is missing; it must be ${field.reader.must}`, field.step)
      }
      this.#replaced[index] = field.reader.missing ?? 'null'
    }
  }

  index(name: string): number {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new Error(`${name} is not a field`)
    return index
  }

  /** Whether the last object has this field. */
  has(index: number): boolean {
    return this.#ends[index] !== 0
  }

  reader(name: string): Reader {
    return (this.#fields[this.index(name)] as Field).reader
  }

  /** The JSON text that this field of the last object is stored as. */
  value(index: number): string {
    return this.#replaced[index] ?? this.#text.slice(this.#starts[index], this.#ends[index])
  }

  /** Stores this text instead of the one in the line. */
  replace(index: number, text: string): void {
    if (this.value(index) === text) return
    this.#replaced[index] = text
    this.#canonical = false
  }

  /** The fields from this index on, without the braces. */
  render(from: number): string {
    const fields = this.#fields
    const last = fields.length - 1
    if (this.#canonical) {
      const start = (this.#starts[from] as number) - (fields[from] as Field).token.length
      return this.#text.slice(start, this.#ends[last])
    }
    let text = ''
    for (let index = from; index <= last; index++) {
      text += (index === from ? '' : ',') + (fields[index] as Field).key + this.value(index)
    }
    return text
  }
}
