import { type JsonCursor, token } from '../../lib/json-cursor.ts'
import { type Problems, shown, step } from './problems.ts'
import { maxDepth, type Reader, refuse } from './reader.ts'

/** The same key twice: what JSON.parse makes of it (the last one wins) is asked for instead. */
export class DuplicateKey extends Error {
  override name = 'DuplicateKey'
}

interface Field {
  name: string
  /** Prefix of the field's problems. */
  step: string
  /** `"name":`, as a compact writer writes it. */
  token: Uint16Array
  /** `"name":` in the stored text. */
  key: string
  reader: Reader
}

/**
 * Reads an object field by field and stores it with every key, in the schema's order. An object that is written
 * like that already, which is what most writers send, is stored as a slice of its line: no part of it is copied.
 *
 * It keeps the places of the fields of the object read last, so it can be asked for their text.
 */
export class ObjectReader implements Reader {
  readonly missing = null
  readonly must = 'an object'
  readonly #fields: readonly Field[]
  readonly #indexes: ReadonlyMap<string, number>
  /** Which field followed which the last time: the first guess for the next key. The first one's is in the last place. */
  readonly #followers: Int16Array
  readonly #starts: Int32Array
  /** Zero: the field was not there. */
  readonly #ends: Int32Array
  readonly #replaced: (string | null)[]
  /** Of the object read last: the line, and whether it stands there as it is to be stored. */
  #text = ''
  #asWritten = false

  constructor(fields: readonly (readonly [name: string, reader: Reader])[]) {
    this.#fields = fields.map(([name, reader]) => {
      const key = `${JSON.stringify(name)}:`
      return { name, step: step(name), token: token(key), key, reader }
    })
    this.#indexes = new Map(fields.map(([name], index) => [name, index]))
    this.#followers = Int16Array.from([...fields.map((_, index) => index + 1), 0])
    this.#starts = new Int32Array(fields.length)
    this.#ends = new Int32Array(fields.length)
    this.#replaced = fields.map(() => null)
  }

  read(cursor: JsonCursor, problems: Problems): string | null {
    if (cursor.code() !== 0x7b) return refuse(cursor, problems, this.must)
    this.scan(cursor, problems)
    return this.#asWritten ? null : `{${this.render(0)}}`
  }

  /** Reads the object under the cursor, without rendering it. */
  scan(cursor: JsonCursor, problems: Problems): void {
    const loose = cursor.loose
    cursor.loose = false
    this.#text = cursor.text
    this.#ends.fill(0)
    this.#asWritten = true
    cursor.expect(0x7b)
    const last = cursor.code() === 0x7d ? -1 : this.#scanFields(cursor, problems)
    if (cursor.code() !== 0x7d) cursor.fail()
    cursor.at++
    if (cursor.loose || last !== this.#fields.length - 1) this.#asWritten = false
    cursor.loose ||= loose
    if (!this.#asWritten) this.#fillIn(problems)
  }

  /** Answers the index of the last field. */
  #scanFields(cursor: JsonCursor, problems: Problems): number {
    const fields = this.#fields
    let last = fields.length
    for (;;) {
      const index = this.#next(cursor, problems, last)
      if (index === -1) this.#asWritten = false
      else {
        const field = fields[index] as Field
        if (this.#ends[index] !== 0) throw new DuplicateKey(field.name)
        if (index !== (last === fields.length ? 0 : last + 1)) this.#asWritten = false
        const before = problems.count
        this.#starts[index] = cursor.at
        const replaced = field.reader.read(cursor, problems)
        this.#replaced[index] = replaced
        this.#ends[index] = cursor.at
        if (replaced !== null) this.#asWritten = false
        if (problems.count !== before) problems.prefix(before, field.step)
        last = index
      }
      cursor.space()
      if (cursor.code() !== 0x2c) return last
      cursor.expect(0x2c)
    }
  }

  /** Passes a key; answers its field's index. An unknown field is refused, passed and -1. */
  #next(cursor: JsonCursor, problems: Problems, last: number): number {
    const guess = this.#fields[this.#followers[last] as number]
    if (guess !== undefined && cursor.takes(guess.token)) {
      cursor.space()
      return this.#followers[last] as number
    }
    const name = cursor.key()
    const index = this.#indexes.get(name)
    if (index !== undefined) {
      this.#followers[last] = index
      return index
    }
    const start = cursor.at
    cursor.skip(maxDepth)
    const value = shown(cursor.text.slice(start, cursor.at))
    problems.add('unknown_field', `is ${value}; it is not a field that can be stored`, step(name))
    return -1
  }

  /** What was left out is null or an empty list, or was required. */
  #fillIn(problems: Problems): void {
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

  reader(name: string): Reader {
    return (this.#fields[this.index(name)] as Field).reader
  }

  /** The JSON text that this field of the object read last is stored as. */
  value(index: number): string {
    return this.#replaced[index] ?? this.#text.slice(this.#starts[index], this.#ends[index])
  }

  /** Stores another text than the one written. */
  replace(index: number, text: string): void {
    if (this.value(index) === text) return
    this.#replaced[index] = text
    this.#asWritten = false
  }

  /** The fields from the first one given on, without the braces. */
  render(from: number): string {
    const fields = this.#fields
    const last = fields.length - 1
    if (this.#asWritten) {
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
