import { character } from '../../lib/characters.ts'
import type { ErrorDetail, RecordRule } from '../../errors.ts'

/** The rule that a record broke; the `code` of its detail. */
export type Rule = RecordRule

export interface Problem {
  /** A path such as `carts[0].count`; empty for the record as a whole. */
  field: string
  rule: Rule
  /** What stands behind the field's name: the value and what it must be. */
  says: string
}

/** More than anybody mends at once; it bounds what one hostile line can make us write. */
const mostPerLine = 100

/** The problems of one record. Readers add theirs with an empty path; whoever holds the reader prefixes its own. */
export class Problems {
  list: Problem[] = []

  get count(): number {
    return this.list.length
  }

  add(rule: Rule, says: string, field = ''): void {
    if (this.list.length < mostPerLine) this.list.push({ field, rule, says })
  }

  prefix(from: number, step: string): void {
    for (const problem of this.list.slice(from)) problem.field = step + problem.field
  }

  /** The problems so far, handed over. */
  take(): Problem[] {
    const taken = this.list
    this.list = []
    for (const problem of taken) if (problem.field.startsWith('.')) problem.field = problem.field.slice(1)
    return taken
  }
}

export const detailOf = (line: number, { field, rule, says }: Problem): ErrorDetail => ({
  line,
  field: field || 'record',
  code: rule,
  message: `line ${line}: ${field || 'the record'} ${says}`,
})

/** A step of a path. Names that could upset a terminal or a reader are quoted. */
export const step = (name: string): string =>
  /^[A-Za-z_][\w-]{0,63}$/.test(name) ? `.${name}` : `[${shown(JSON.stringify(name))}]`

const longest = 60

/** Characters that move the cursor, hide or turn text around on a terminal, and halves of pairs. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/gu

/** A value as it was written, short enough for a message and safe to print. */
export function shown(source: string): string {
  const first = source.charCodeAt(0)
  if (first === character.openBrace) return 'an object'
  if (first === character.openBracket) return 'an array'
  const short =
    source.length > longest ? `${source.slice(0, longest)}…${first === character.quote ? '"' : ''}` : source
  return short.replace(unsafe, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
