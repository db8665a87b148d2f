import type { TSchema } from 'typebox'
import { ErrorEnvelope } from '../../contract/envelope.ts'
import { catalogue, type ErrorCode } from '../../errors.ts'

/**
 * The API reference's error answers of an endpoint, by status: every code of the catalogue with a status that the
 * given codes have, and those that any endpoint can answer with.
 */
export function errorResponses(...codes: ErrorCode[]): Record<number, TSchema> {
  const statuses = new Set<ErrorCode>([...codes, 'request_malformed', 'server_error', 'service_unavailable'])
  const responses: Record<number, TSchema> = {}
  for (const { status } of [...statuses].map(code => catalogue[code])) {
    const meanings = (Object.keys(catalogue) as ErrorCode[])
      .filter(code => catalogue[code].status === status)
      .map(code => `- \`${code}\`: ${catalogue[code].meaning}`)
    responses[status] = { ...ErrorEnvelope, description: meanings.join('\n') } as TSchema
  }
  return responses
}
