import { type ApiError, type ErrorDetail, fail } from '../../errors.ts'

/** Problems that an answer lists; of the others it names the line. */
const maxDetails = 1000

/** The problems of the lines of one batch. */
export class ProblemList {
  readonly details: ErrorDetail[] = []
  readonly lines = new Set<number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  add(detail: ErrorDetail): void {
    this.#total++
    if (detail.line !== undefined) this.lines.add(detail.line)
    if (this.details.length < maxDetails) this.details.push(detail)
  }

  /** In the order of the lines. */
  summary(): { message: string; details: readonly ErrorDetail[]; problems: number; lines: number } {
    const details = this.details.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    return { message: this.#message(), details, problems: this.#total, lines: this.lines.size }
  }

  toError(): ApiError {
    const { message, details } = this.summary()
    return fail('record_invalid', message, { details })
  }

  #message(): string {
    const lines = [...this.lines].sort((a, b) => a - b)
    const named = rangesOf(lines)
    const cut =
      this.#total > maxDetails ? `; details name the first ${maxDetails} of ${this.#total} problems` : ''
    return lines.length === 1
      ? `Line ${named} is invalid, so nothing was stored${cut}`
      : `${lines.length} lines are invalid, so nothing was stored: ${named}${cut}`
  }
}

/** As 1-3, 5: a bad batch has few ranges, and a request's 50,000 lines at most make 170 KB. */
function rangesOf(sorted: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const line of sorted) {
    const range = ranges.at(-1)
    if (range?.[1] === line - 1) range[1] = line
    else ranges.push([line, line])
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(', ')
}
