import type { ErrorDetail } from '../../errors.ts'
import { originForm } from '../../lib/origin-form.ts'
import { redactQuery, redactText } from '../../lib/redact.ts'

/** What the response said is wrong. */
export interface Problem {
  message: string
  details?: readonly ErrorDetail[]
}

/** Characters that the request log keeps. */
const longestQuery = 500
const longestProblem = 1000
/** A message that lists many lines leaves room for the details. */
const longestMessage = 500
const mostDetails = 20

/** OAuth endpoints read no query, and credentials that a client puts there are nobody's to keep (RFC 6749 §2.3.1). */
export function loggedQuery(url: string): string | null {
  const [, path = '', query = ''] = /^([^?]*)\??([^]*)$/.exec(originForm(url)) ?? []
  return query === '' || path.startsWith('/auth/') ? null : redactQuery(query, longestQuery)
}

/** The message, then a line for each detail. A detail's own message can quote a record, so it is left out. */
export function loggedProblem(problem: Problem | null): string | null {
  if (problem === null) return null
  const { message, details = [] } = problem
  const listed = details
    .slice(0, mostDetails)
    .map(({ line, field, code }) => `${line === undefined ? '' : `line ${line}, `}${field}: ${code}`)
  if (details.length > mostDetails) listed.push(`and ${details.length - mostDetails} more`)
  const longest = listed.length > 0 ? longestMessage : longestProblem
  return [redactText(message, longest), ...listed.map(each => redactText(each, longestProblem))]
    .join('\n')
    .slice(0, longestProblem)
    .toWellFormed()
}
