import { base64, fromBase64 } from './base64.ts'
import { TillgateError } from './errors.ts'
import { parseExact } from './exact-json.ts'
import type { Int64 } from './types.ts'

/** Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`. */

export type WebhookEvent =
  | { type: 'store.changed'; timestamp: string; data: { store_id: Int64; seq: number; feed: string } }
  | {
      type: 'authorization.granted' | 'authorization.changed' | 'authorization.revoked'
      timestamp: string
      data: { authorization_id: string; revision: number; store_ids: Int64[] }
    }
  | { type: 'webhook.test'; timestamp: string; data: Record<string, never> }

export interface WebhookRequest {
  /** `whsec_…`; several while a secret is replaced: entries that are empty or undefined are left out. */
  secret: string | readonly (string | undefined)[]
  headers: Headers | Record<string, string | readonly string[] | undefined>
  /** The body as it arrived: not parsed and written again. */
  body: string | Uint8Array | ArrayBuffer
  /** Seconds that the timestamp may differ from now: default 300. */
  tolerance?: number
  /** Unix time in milliseconds; another one in tests. */
  now?: () => number
}

/** The event of a webhook request, or `webhook_invalid`. Its `id` is the same when a delivery is repeated. */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent & { id: string }> {
  const { tolerance = 300, now = Date.now } = request
  const secrets = [request.secret].flat().filter(secret => secret !== undefined && secret !== '')
  if (secrets.length === 0) throw new TypeError('secret is missing')
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => {
    const value = headerOf(request.headers, name)
    if (!value) throw invalid(`the header ${name} is missing`)
    return value
  }) as [string, string, string]
  if (!/^\d{1,15}$/.test(timestamp)) throw invalid('webhook-timestamp is not a Unix time in seconds')
  const age = Math.floor(now() / 1000) - Number(timestamp)
  if (!(Math.abs(age) <= tolerance)) {
    throw invalid(`webhook-timestamp differs by ${Math.abs(age)} seconds from now; the most is ${tolerance}`)
  }
  const bytes = bytesOf(request.body)
  const signed = signedBytes(id, timestamp, bytes)
  for (const secret of secrets) {
    const key = await keyOf(secret as string, 'verify')
    for (const signature of signatures.split(' ')) {
      if (await matches(key, signature, signed)) return eventOf(id, bytes)
    }
  }
  throw invalid('no signature matches: another secret, or the body was changed on its way')
}

/** The headers of a signed webhook. `timestamp` is in seconds. */
export async function signWebhook(request: {
  secret: string
  id: string
  timestamp: number
  body: string | Uint8Array
}): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const { secret, id, timestamp, body } = request
  const key = await keyOf(secret, 'sign')
  const signature = await crypto.subtle.sign('HMAC', key, signedBytes(id, String(timestamp), bytesOf(body)))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${base64(signature)}`,
  }
}

const invalid = (message: string): TillgateError => new TillgateError('webhook_invalid', message)

function headerOf(headers: WebhookRequest['headers'], name: string): string | undefined {
  // Not instanceof: frameworks bring a class of their own.
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.join(' ')
}

const bytesOf = (body: WebhookRequest['body']): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)

function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

async function keyOf(secret: string, use: 'sign' | 'verify'): Promise<Key> {
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = fromBase64(secret.replace(/^whsec_/, ''))
  } catch {
    throw new TypeError('the secret is not "whsec_" and Base64')
  }
  if (bytes.length === 0) throw new TypeError('the secret is empty')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use])
}

/** In constant time. Other versions than v1 are signatures of another kind. */
async function matches(key: Key, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const encoded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1]
  return encoded !== undefined && crypto.subtle.verify('HMAC', key, fromBase64(encoded), signed)
}

function eventOf(id: string, bytes: Uint8Array): WebhookEvent & { id: string } {
  try {
    const event = parseExact(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof event === 'object' && event !== null) return Object.assign(event as WebhookEvent, { id })
  } catch {
    // Below.
  }
  throw invalid('the body is not a JSON object')
}
