/**
 * Reads JSON text from left to right without making objects of it, for readers that know the shape they expect.
 * It accepts exactly what JSON.parse accepts (test/lib/json-cursor.test.ts holds the two together), keeps every
 * number as it was written, and spares the objects that JSON.parse would make and a renderer would take apart again.
 */
export class JsonCursor {
  text = ''
  at = 0
  /** Whether white space was passed, or a key in another form than the token asked for. */
  loose = false
  /** Of the string passed last: whether it holds a backslash, or half of a surrogate pair. */
  escaped = false
  wide = false
  /** Of the number passed last: how it is written, and its value if in digits only (NaN for -0). */
  form: NumberForm = 'whole'
  value = 0
  /**
   * The text's UTF-16 codes and a zero behind them, which no rule accepts: so nothing reads out of bounds. An array
   * of numbers is read faster than the string.
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
    this.loose = false
  }

  /** The code under the cursor; zero behind the end. */
  code(): number {
    return this.codes[this.at] as number
  }

  get ended(): boolean {
    return this.at >= this.text.length
  }

  space(): void {
    let code = this.code()
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.loose = true
      this.at++
      code = this.code()
    }
  }

  /** Passes these characters if they are next. */
  takes(token: Uint16Array): boolean {
    const codes = this.codes
    const at = this.at
    for (let i = 0; i < token.length; i++) if (codes[at + i] !== token[i]) return false
    this.at = at + token.length
    return true
  }

  /** Passes one punctuation character and the white space behind it. */
  expect(code: number): void {
    if (this.code() !== code) this.fail()
    this.at++
    this.space()
  }

  /** Passes a key with its colon; answers its name. */
  key(): string {
    const start = this.at
    this.string()
    const name = this.escaped ? this.decode(start, this.at) : this.text.slice(start + 1, this.at - 1)
    if (this.escaped) this.loose = true
    this.space()
    this.expect(0x3a)
    return name
  }

  /** Passes a string with its quotes. */
  string(): void {
    const codes = this.codes
    if (this.code() !== 0x22) this.fail()
    let at = this.at + 1
    this.escaped = false
    this.wide = false
    for (;;) {
      const code = codes[at] as number
      if (code === 0x22) break
      if (code < 0x20) this.fail()
      if (code === 0x5c) {
        this.escaped = true
        at = this.#escape(at + 1)
      } else {
        if (code >= 0xd800 && code <= 0xdfff) this.wide = true
        at++
      }
    }
    this.at = at + 1
  }

  /** The value of the string with quotes between these places. */
  decode(from: number, to: number): string {
    return JSON.parse(this.text.slice(from, to)) as string
  }

  /** Passes a number. */
  number(): void {
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
    this.form = 'whole'
    this.value = negative ? (value === 0 ? Number.NaN : -value) : value
    if (code === 0x2e || code === 0x65 || code === 0x45) this.#behindWhole()
  }

  /** Passes the fraction and the exponent of a number. */
  #behindWhole(): void {
    if (this.code() === 0x2e) {
      this.form = 'point'
      this.at++
      this.#digits()
    }
    if (this.code() === 0x65 || this.code() === 0x45) {
      this.form = 'exponent'
      this.at++
      if (this.code() === 0x2b || this.code() === 0x2d) this.at++
      this.#digits()
    }
  }

  /** Passes null if it is next. */
  takesNull(): boolean {
    const { codes, at } = this
    if (codes[at] !== 0x6e || codes[at + 1] !== 0x75) return false
    if (codes[at + 2] !== 0x6c || codes[at + 3] !== 0x6c) return false
    this.at = at + 4
    return true
  }

  /** Passes null, true or false. */
  word(): void {
    for (const word of words) if (this.takes(word)) return
    this.fail()
  }

  /** Passes any value, `depth` levels deep at most. */
  skip(depth: number): void {
    const code = this.code()
    if (code === 0x22) this.string()
    else if (code === 0x7b) this.#skipAll(0x7d, depth)
    else if (code === 0x5b) this.#skipAll(0x5d, depth)
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.number()
    else this.word()
  }

  #skipAll(close: number, depth: number): void {
    if (depth === 0) throw new TooDeep('nested too deeply')
    this.at++
    this.space()
    if (this.code() !== close) {
      for (;;) {
        if (close === 0x7d) this.key()
        this.skip(depth - 1)
        this.space()
        if (this.code() !== 0x2c) break
        this.expect(0x2c)
      }
    }
    if (this.code() !== close) this.fail()
    this.at++
  }

  #digits(): void {
    const start = this.at
    let code = this.code()
    while (code >= 0x30 && code <= 0x39) {
      this.at++
      code = this.code()
    }
    if (this.at === start) this.fail()
  }

  /** Answers the place behind the escape whose letter is at `at`. */
  #escape(at: number): number {
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

/** What `takes` compares with. */
export const token = (text: string): Uint16Array =>
  Uint16Array.from(text, character => character.charCodeAt(0))

const words = ['null', 'true', 'false'].map(token)
