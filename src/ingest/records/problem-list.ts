import { type ApiError, type ErrorDetail, fail } from '../../errors.ts'

/** Problems that an answer lists; the others are only counted. */
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
    const named = lines.slice(0, 20).join(', ')
    const more = lines.length > 20 ? ` and ${lines.length - 20} more` : ''
    const cut =
      this.#total > maxDetails ? `; details name the first ${maxDetails} of ${this.#total} problems` : ''
    return lines.length === 1
      ? `Line ${named} is invalid, so nothing was stored${cut}`
      : `${lines.length} lines are invalid, so nothing was stored: ${named}${more}${cut}`
  }
}
