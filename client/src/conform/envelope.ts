import type { Answer } from './context.ts'

/** Sections 2.1 and 7: what is wrong with the envelope of an answer, or null. */
export function envelopeProblem({ status, json, headers }: Answer): string | null {
  const block = json?.status
  if (!/^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? ''))
    return 'Content-Type is not JSON'
  if (typeof block !== 'object' || block === null) return 'no status block'
  // Seconds, not milliseconds.
  if (!Number.isInteger(block.timestamp) || block.timestamp < 1e9 || block.timestamp > 1e11) {
    return `timestamp is ${String(block.timestamp)}`
  }
  if (block.ack !== status) return `ack is ${String(block.ack)}, the HTTP status ${status}`
  if (!('data' in json)) return 'no data'
  if (status === 200) return block.errors === null ? null : `errors is ${JSON.stringify(block.errors)}`
  const { errors } = block
  const isSaid = typeof errors === 'string' || (typeof errors === 'object' && errors !== null)
  return isSaid ? null : `errors is ${JSON.stringify(errors)}`
}
