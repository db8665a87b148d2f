import { createHash } from 'node:crypto'

/** The `webhook-id`: the same event of the same endpoint always has the same, on every node. */
export const messageId = (...parts: readonly string[]): string =>
  `msg_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`

/** `data` is JSON: ids of stores may lie beyond 2^53. */
export const messageBody = (type: string, at_ms: number, data: string): string =>
  `{"type":"${type}","timestamp":"${new Date(at_ms).toISOString()}","data":${data}}`
