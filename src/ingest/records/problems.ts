import { character } from '../../lib/characters.ts'
import type { ErrorDetail, RecordRule } from '../../errors.ts'

/** The rule that a record violates; the `code` of its detail. */
export type Rule = RecordRule

export interface Problem {
  /** A path such as `carts[0].count`; empty for the record as a whole. */
  field: string
  rule: Rule
  /** The message behind the field's name: the value and what it must be. */
  reason: string
}

/** It bounds the answer that one hostile line can cause. */
const mostPerLine = 100

/** The problems of one record. A reader adds them with an empty path; the reader around it prefixes the field's name. */
export class Problems {
  list: Problem[] = []

  get count(): number {
    return this.list.length
  }

  add(rule: Rule, reason: string, field = ''): void {
    if (this.list.length < mostPerLine) this.list.push({ field, rule, reason })
  }

  prefix(from: number, step: string): void {
    for (const problem of this.list.slice(from)) problem.field = step + problem.field
  }

  /** Returns the problems and forgets them. */
  drain(): Problem[] {
    const drained = this.list
    this.list = []
    for (const problem of drained) if (problem.field.startsWith('.')) problem.field = problem.field.slice(1)
    return drained
  }
}

export const detailOf = (line: number, { field, rule, reason }: Problem): ErrorDetail => ({
  line,
  field: field || 'record',
  code: rule,
  message: `line ${line}: ${field || 'the record'} ${reason}`,
})

/** A step of a path. Names with unusual characters are quoted. */
export const step = (name: string): string =>
  /^[A-Za-z_][\w-]{0,63}$/.test(name) ? `.${name}` : `[${excerpt(JSON.stringify(name))}]`

const longest = 60

/** Characters that move the cursor, hide or reverse text on a terminal, and lone surrogates. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/gu

/** A value as it was written, short enough for a message and safe to print. */
export function excerpt(source: string): string {
  const first = source.charCodeAt(0)
  if (first === character.openBrace) return 'an object'
  if (first === character.openBracket) return 'an array'
  const short =
    source.length > longest ? `${source.slice(0, longest)}…${first === character.quote ? '"' : ''}` : source
  return short.replace(unsafe, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
