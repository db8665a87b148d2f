import { isUtf8 } from 'node:buffer'

/** One line without its line break, or the reason why it cannot be read. */
export type Line = { line: number; text: string } | { line: number; fault: 'too_long' | 'not_utf8' }

/** Splits bytes into lines, counted from 1, and buffers at most one line. */
export class LineCutter {
  readonly #maxLength: number
  #line: number
  #pieces: Buffer[] = []
  #length = 0

  /** `after`: the number of lines before. */
  constructor(maxLength: number, after = 0) {
    this.#maxLength = maxLength
    this.#line = after
  }

  /** The lines that this piece completes. */
  push(piece: Buffer): Line[] {
    const lines: Line[] = []
    let start = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, start)) {
      this.#keep(piece.subarray(start, end))
      lines.push(this.#take())
      start = end + 1
    }
    if (start < piece.length) this.#keep(piece.subarray(start))
    return lines
  }

  /** The last line, if the text does not end with a line break. */
  end(): Line[] {
    return this.#length > 0 ? [this.#take()] : []
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    // A line that is too long is counted but not buffered.
    if (this.#length > this.#maxLength) this.#pieces = []
    else this.#pieces.push(part)
  }

  #take(): Line {
    const line = ++this.#line
    const [only] = this.#pieces
    const bytes = this.#pieces.length === 1 && only ? only : Buffer.concat(this.#pieces)
    const length = this.#length
    this.#pieces = []
    this.#length = 0
    if (length > this.#maxLength) return { line, fault: 'too_long' }
    if (!isUtf8(bytes)) return { line, fault: 'not_utf8' }
    const text = bytes.toString('utf8')
    // Some editors put a byte order mark before the first line.
    return { line, text: line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text }
  }
}

/** The lines that each piece completes, then the last one. */
export async function* linesOf(pieces: AsyncIterable<Buffer>, maxLength: number): AsyncGenerator<Line[]> {
  const cutter = new LineCutter(maxLength)
  for await (const piece of pieces) yield cutter.push(piece)
  yield cutter.end()
}
