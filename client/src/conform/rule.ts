import type { Answer, ConformContext, Json } from './context.ts'
import { envelopeProblem } from './envelope.ts'
import { Breach, Skipped } from './outcomes.ts'

/** A rule of the specification. `check` returns what was seen, or throws a `Breach` or `Skipped`. */
export interface Rule {
  id: string
  section: string
  expected: string
  check(context: ConformContext): Promise<string>
}

export const rule = (section: string, id: string, expected: string, check: Rule['check']): Rule => ({
  id,
  section,
  expected,
  check,
})

/** What was seen, if the rule holds. */
export function judge(holds: boolean, seen: string): string {
  if (!holds) throw new Breach(seen)
  return seen
}

export const shown = ({ status, text }: Answer): string => `${status} ${text.slice(0, 160)}`

export const needStore = ({ storeId, needScope }: ConformContext): void => {
  if (storeId !== null) return
  needScope('integration.store', 'name a store with --store')
  throw new Skipped('the token has no store')
}

export function judgeEnvelope(answer: Answer): string {
  const problem = envelopeProblem(answer)
  if (problem !== null) throw new Breach(`${problem}: ${shown(answer)}`)
  return `${answer.status}, ack ${answer.json.status.ack}`
}

/** A write between two requests can look like a breach, so a rule that compares answers must break three times. */
export const persistent =
  <Args extends unknown[]>(check: (...args: Args) => Promise<string>) =>
  async (...args: Args): Promise<string> => {
    for (let tries = 1; ; tries++) {
      try {
        return await check(...args)
      } catch (error) {
        if (!(error instanceof Breach) || tries === 3) throw error
      }
    }
  }

/** Requests by the name that a report gives them. */
export type Requests = Record<string, () => Promise<Answer>>

/** Each of these requests must get one of these statuses, in the envelope. */
export async function statuses(expected: readonly number[], requests: Requests): Promise<string> {
  const seen = new Set<number>()
  for (const [name, request] of Object.entries(requests)) {
    const answer = await request()
    if (!expected.includes(answer.status)) throw new Breach(`${name}: ${shown(answer)}`)
    judgeEnvelope(answer)
    seen.add(answer.status)
  }
  return `${[...seen].join(' and ')} for ${Object.keys(requests).join(', ')}`
}

/** The first entry that does not fit, by name and value. */
export function every(
  entries: readonly Json[],
  what: string,
  problemOf: (entry: Json) => string | null,
): string {
  if (entries.length === 0) throw new Skipped(`no ${what} to look at`)
  for (const entry of entries) {
    const problem = problemOf(entry)
    if (problem !== null) throw new Breach(problem)
  }
  return `${entries.length} ${what}`
}
