/**
 * A pull parser: moves over JSON text from left to right without building objects, and keeps every number as it is
 * written. It accepts exactly what JSON.parse accepts (test/lib/json-cursor.test.ts compares the two). Why it exists:
 * docs/record-readers.md.
 */
export class JsonCursor {
  text = ''
  at = 0
  /** True after white space, or after a key with escapes: the text is not in canonical form. */
  nonCanonical = false
  /** About the last string: whether it holds a backslash, and whether it holds surrogates. */
  hasEscapes = false
  hasSurrogates = false
  /** About the last number: its form, and its value when it is written in digits only (NaN for -0). */
  numberForm: NumberForm = 'whole'
  value = 0
  /**
   * The text's UTF-16 code units and a zero behind them, which no rule accepts, so nothing reads out of bounds. V8
   * reads them faster from an array than from the string.
   */
  codes = new Uint16Array(4096)
  #bytes = Buffer.from(this.codes.buffer)

  reset(text: string): void {
    if (text.length >= this.codes.length) {
      this.codes = new Uint16Array(text.length * 2)
      this.#bytes = Buffer.from(this.codes.buffer)
    }
    this.#bytes.write(text, 'utf16le')
    this.codes[text.length] = 0
    this.text = text
    this.at = 0
    this.nonCanonical = false
  }

  /** The code unit at the cursor; zero behind the end. */
  code(): number {
    return this.codes[this.at] as number
  }

  get atEnd(): boolean {
    return this.at >= this.text.length
  }

  skipSpace(): void {
    let code = this.code()
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.nonCanonical = true
      this.at++
      code = this.code()
    }
  }

  /** Moves over these characters if they come next; returns whether they did. */
  accept(token: Uint16Array): boolean {
    const codes = this.codes
    const at = this.at
    for (let i = 0; i < token.length; i++) if (codes[at + i] !== token[i]) return false
    this.at = at + token.length
    return true
  }

  /** Moves over one punctuation character, which must come next, and the white space behind it. */
  expect(code: number): void {
    if (this.code() !== code) this.fail()
    this.at++
    this.skipSpace()
  }

  /** Moves over a key and its colon; returns the name. */
  readKey(): string {
    const start = this.at
    this.skipString()
    const name = this.hasEscapes ? this.decodeString(start, this.at) : this.text.slice(start + 1, this.at - 1)
    if (this.hasEscapes) this.nonCanonical = true
    this.skipSpace()
    this.expect(0x3a)
    return name
  }

  skipString(): void {
    const codes = this.codes
    if (this.code() !== 0x22) this.fail()
    let at = this.at + 1
    this.hasEscapes = false
    this.hasSurrogates = false
    for (;;) {
      const code = codes[at] as number
      if (code === 0x22) break
      if (code < 0x20) this.fail()
      if (code === 0x5c) {
        this.hasEscapes = true
        at = this.#endOfEscape(at + 1)
      } else {
        if (code >= 0xd800 && code <= 0xdfff) this.hasSurrogates = true
        at++
      }
    }
    this.at = at + 1
  }

  /** The value of the string, with its quotes, between these positions. */
  decodeString(from: number, to: number): string {
    return JSON.parse(this.text.slice(from, to)) as string
  }

  skipNumber(): void {
    const codes = this.codes
    const negative = this.code() === 0x2d
    const first = negative ? this.at + 1 : this.at
    let at = first
    let code = codes[at] as number
    let value = 0
    while (code >= 0x30 && code <= 0x39) {
      value = value * 10 + code - 0x30
      code = codes[++at] as number
    }
    if (at === first || (codes[first] === 0x30 && at > first + 1)) this.fail()
    this.at = at
    this.numberForm = 'whole'
    this.value = negative ? (value === 0 ? Number.NaN : -value) : value
    if (code === 0x2e || code === 0x65 || code === 0x45) this.#skipFraction()
  }

  /** Moves over the fraction and the exponent of a number. */
  #skipFraction(): void {
    if (this.code() === 0x2e) {
      this.numberForm = 'point'
      this.at++
      this.#skipDigits()
    }
    if (this.code() === 0x65 || this.code() === 0x45) {
      this.numberForm = 'exponent'
      this.at++
      if (this.code() === 0x2b || this.code() === 0x2d) this.at++
      this.#skipDigits()
    }
  }

  /** Moves over null if it comes next; returns whether it did. */
  acceptNull(): boolean {
    const { codes, at } = this
    if (codes[at] !== 0x6e || codes[at + 1] !== 0x75) return false
    if (codes[at + 2] !== 0x6c || codes[at + 3] !== 0x6c) return false
    this.at = at + 4
    return true
  }

  /** Moves over null, true or false. */
  skipWord(): void {
    for (const word of words) if (this.accept(word)) return
    this.fail()
  }

  /** Moves over any value that is at most `depth` levels deep. */
  skipValue(depth: number): void {
    const code = this.code()
    if (code === 0x22) this.skipString()
    else if (code === 0x7b) this.#skipContainer(0x7d, depth)
    else if (code === 0x5b) this.#skipContainer(0x5d, depth)
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.skipNumber()
    else this.skipWord()
  }

  #skipContainer(close: number, depth: number): void {
    if (depth === 0) throw new TooDeep('nested too deeply')
    this.at++
    this.skipSpace()
    if (this.code() !== close) {
      for (;;) {
        if (close === 0x7d) this.readKey()
        this.skipValue(depth - 1)
        this.skipSpace()
        if (this.code() !== 0x2c) break
        this.expect(0x2c)
      }
    }
    if (this.code() !== close) this.fail()
    this.at++
  }

  #skipDigits(): void {
    const start = this.at
    let code = this.code()
    while (code >= 0x30 && code <= 0x39) {
      this.at++
      code = this.code()
    }
    if (this.at === start) this.fail()
  }

  /** Returns the position behind the escape whose letter is at `at`. */
  #endOfEscape(at: number): number {
    const letter = this.text.charAt(at)
    if (letter === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(this.text.slice(at + 1, at + 5))) this.fail()
      return at + 5
    }
    if (letter === '' || !'"\\/bfnrt'.includes(letter)) this.fail()
    return at + 1
  }

  fail(): never {
    throw new NotJson('not JSON')
  }
}

/** Digits only, with a point, or with an exponent (and perhaps a point). */
export type NumberForm = 'whole' | 'point' | 'exponent'

export class NotJson extends Error {
  override name = 'NotJson'
}

export class TooDeep extends Error {
  override name = 'TooDeep'
}

/** The code units that `accept` compares with. */
export const token = (text: string): Uint16Array =>
  Uint16Array.from(text, character => character.charCodeAt(0))

const words = ['null', 'true', 'false'].map(token)
