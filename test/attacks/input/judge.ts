import { catalogue } from '../../../src/errors.ts'
import type { Made } from './requests.ts'
import type { Got } from './send.ts'

/** What is wrong with an answer, whatever was asked; null when nothing is. */
export function judge(made: Made, got: Got | string, base: string): string | null {
  if (typeof got === 'string') return wasRefusedHalfway(made, got) ? null : got
  const { status, headers, text } = got
  // 503 is for a server that is overloaded or broken, which none of these may do.
  if (status >= 500 || status < 200) return `status ${status}: ${text.slice(0, 300)}`
  if (!/^[\w-]{22}$/.test(String(headers['x-request-id']))) return 'no X-Request-Id'
  if (/node:internal|node_modules|\.ts:\d+|SQLITE_|syntax error at or near|PostgresError/.test(text)) {
    return `internals in the answer: ${text.slice(0, 300)}`
  }
  return wrongAddress(headers.location, base) ?? wrongBody(made, got)
}

/**
 * A body that is too large is not read to its end, and the connection closes while the client still writes. Bytes that are no
 * HTTP have no method, so their refusal has a body also where HEAD was meant.
 */
const wasRefusedHalfway = ({ method, target, body }: Made, what: string): boolean =>
  ((body?.length ?? 0) > 50_000 && /ECONNRESET|EPIPE/.test(what)) ||
  (method === 'HEAD' && /^[^/h]|[^\x21-\x7e]/.test(target) && what.includes('HPE_CLOSED_CONNECTION'))

/** Only to this server's pages and to the one address that an app has registered. */
function wrongAddress(location: string | undefined, base: string): string | null {
  if (location === undefined) return null
  const { origin } = new URL(location, base)
  const known = origin === base || origin === 'https://app.example.com'
  return known && !location.startsWith('//') ? null : `redirects to ${location}`
}

function wrongBody({ method, target }: Made, { status, headers, text }: Got): string | null {
  if (method === 'HEAD' || status === 304) return text === '' ? null : 'a body where none belongs'
  const type = headers['content-type'] ?? ''
  if (/^\/(integration|platform)\//.test(target)) return wrongEnvelope(status, type, text)
  // Shown by no browser.
  if (status >= 300 && status < 400)
    return /<script|<meta/i.test(text) ? `markup in a redirect: ${text}` : null
  if (type.startsWith('text/html')) {
    if (!/^<!doctype html>[^]*<\/html>\s*$/i.test(text)) return 'half a page'
    if (!headers['content-security-policy']?.includes("frame-ancestors 'none'"))
      return 'a page without its policy'
    return null
  }
  if (type.startsWith('application/json'))
    return parsed(text) === undefined ? `no JSON: ${text.slice(0, 200)}` : null
  // Every error is JSON or HTML.
  return status >= 400 ? `an error as ${type || 'nothing'}: ${text.slice(0, 200)}` : null
}

/** Spec 2.1. */
function wrongEnvelope(status: number, type: string, text: string): string | null {
  if (!type.startsWith('application/json')) return `no JSON but ${type}`
  const body = parsed(text) as { status?: Record<string, unknown>; data?: unknown } | undefined
  if (body === undefined || Object.keys(body).join() !== 'status,data')
    return `no envelope: ${text.slice(0, 300)}`
  const { timestamp, ack, errors } = body.status ?? {}
  if (Object.keys(body.status ?? {}).join() !== 'timestamp,ack,errors')
    return `no envelope: ${text.slice(0, 300)}`
  if (!Number.isInteger(timestamp) || ack !== status) return `ack ${ack} with status ${status}`
  if (status === 200) return errors === null && body.data !== null ? null : 'errors with 200'
  const { code, message, details } = errors as Record<string, unknown>
  if (!Object.hasOwn(catalogue, String(code)) || typeof message !== 'string' || !Array.isArray(details)) {
    return `an error of no catalogue: ${text.slice(0, 300)}`
  }
  return catalogue[code as keyof typeof catalogue].status === status && body.data === null
    ? null
    : 'another status'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
