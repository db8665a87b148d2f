import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { WebhookEndpoint } from '../../storage/port/index.ts'

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** The headers of an attempt. During a rotation both secrets sign. */
export function signedHeaders(
  { secret, previous_secret, previous_until }: WebhookEndpoint,
  id: string,
  body: string,
  now_ms: number,
): Record<string, string> {
  const isRotating = previous_secret !== null && previous_until !== null && now_ms < previous_until * 1000
  const secrets = isRotating ? [secret, previous_secret] : [secret]
  const at = new Date(now_ms)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now_ms / 1000)),
    'webhook-signature': secrets.map(each => new Webhook(each).sign(id, at, body)).join(' '),
  }
}
