import type { ConformContext } from './context.ts'
import { dataRules } from './rules-data.ts'
import { listRules } from './rules-lists.ts'
import { parameterRules } from './rules-parameters.ts'
import { tokenRules } from './rules-tokens.ts'
import { Breach, Skipped } from './outcomes.ts'
import type { Rule } from './rule.ts'

export const rules: readonly Rule[] = [...listRules, ...dataRules, ...parameterRules, ...tokenRules].sort(
  (a, b) => a.section.localeCompare(b.section, 'en', { numeric: true }),
)

export interface Result {
  section: string
  rule: string
  expected: string
  seen: string
  result: 'pass' | 'fail' | 'skip'
}

/** Checks one rule. A request that fails is a failure of the rule, not of the run. */
export async function checkRule(
  { section, id, expected, check }: Rule,
  context: ConformContext,
): Promise<Result> {
  const of = (result: Result['result'], seen: string): Result => ({
    section,
    rule: id,
    expected,
    seen,
    result,
  })
  try {
    return of('pass', await check(context))
  } catch (error) {
    if (error instanceof Skipped) return of('skip', error.message)
    if (error instanceof Breach) return of('fail', error.message)
    return of('fail', `no judgement: ${(error as Error).message}`)
  }
}

/** JUnit's XML, as CI systems read it. */
export function junit(url: string, results: readonly Result[]): string {
  const count = (result: Result['result']) => results.filter(each => each.result === result).length
  const cases = results.map(({ section, rule, expected, seen, result }) => {
    const open = `  <testcase classname="specification ${text(section)}" name="${text(`${rule}: ${expected}`)}"`
    if (result === 'pass') return `${open}/>`
    const inner =
      result === 'skip'
        ? `<skipped message="${text(seen)}"/>`
        : `<failure message="${text(`seen: ${seen}`)}"/>`
    return `${open}>${inner}</testcase>`
  })
  const head = `<testsuite name="conform ${text(url)}" tests="${results.length}" failures="${count('fail')}" skipped="${count('skip')}">`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${cases.join('\n')}\n</testsuite>\n`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no way to write most control characters. */
const text = (value: string): string =>
  value
    .replace(/[\u0000-\u001f\u007f\ud800-\udfff\ufffe\uffff]/g, ' ')
    .replace(/[&<>"]/g, each => entities[each] ?? '')
