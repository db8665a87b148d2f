import type { TSchema } from 'typebox'
import { ErrorEnvelope } from '../../contract/envelope.ts'
import { catalogue, type ErrorCode } from '../../errors.ts'

/**
 * The error responses of an endpoint in the API reference, by status: for each status of the given codes, and of those
 * that any endpoint can return, all codes of the catalogue with that status.
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
