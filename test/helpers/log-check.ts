import assert from 'node:assert/strict'
import type { IncomingMessage, Server } from 'node:http'

/**
 * No log of any test server holds a secret that went to or from it, whatever the test is about: every server is looked
 * through when it closes (server.ts), and every `tillgate serve` when its process ends (cli.ts). What counts as a secret
 * is collected while the tests run: answers as they are read (answers.ts), requests as they arrive.
 */

/** By their first characters: a part of a secret is a leak too, and one look-up tells for all of them. */
const beginnings = new Map<string, string>()
const lookedAt = 16
/** Of the newest ones: a campaign of a million requests brings as many. */
const mostKept = 100_000

/** What is shorter is a test's own word, such as a code "x", and could stand in a log by chance. */
export function keepSecret(what: string, value: string | null | undefined): void {
  if (!value || value.length < lookedAt) return
  for (const written of new Set([value, encodeURIComponent(value)])) {
    beginnings.set(written.slice(0, lookedAt), what)
  }
  for (const oldest of beginnings.keys()) {
    if (beginnings.size <= mostKept) return
    beginnings.delete(oldest)
  }
}

/** Form fields and query parameters that nobody else may know. */
const secretFields = [
  'password',
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'access_token',
  'token',
  '_csrf',
]

export function keepForm(form: URLSearchParams): void {
  for (const name of secretFields) for (const value of form.getAll(name)) keepSecret(name, value)
}

export function keepAnswer(headers: Headers, text: string): void {
  for (const cookie of headers.getSetCookie()) keepCookie(cookie.split('; ', 1)[0] ?? '')
  const [, code] = /[?&]code=([^&]+)/.exec(headers.get('location') ?? '') ?? []
  keepSecret('code', code)
  if (text.length > 100_000) return
  for (const [, name = '', value] of text.matchAll(
    /"(access_token|refresh_token|client_secret)":"([^"]+)"/g,
  )) {
    keepSecret(name, value)
  }
  // A page that shows a secret once: 256 bits as Tillgate writes them (src/lib/ids.ts).
  if (text.startsWith('<!doctype')) {
    for (const [secret] of text.matchAll(/(?<![\w-])[\w-]{43}(?![\w-])/g)) keepSecret('client_secret', secret)
  }
}

const keepCookie = (pair: string): void => {
  const at = pair.indexOf('=')
  keepSecret(`cookie ${pair.slice(0, at)}`, pair.slice(at + 1))
}

/** Every request that arrives, also those of a browser: its header, cookies, query and form. */
export function keepRequests(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const [, scheme = '', credentials] = /^(\w+) +(\S+)/.exec(request.headers.authorization ?? '') ?? []
    keepSecret('Authorization', credentials)
    if (/^basic$/i.test(scheme)) {
      keepSecret(
        'client_secret',
        Buffer.from(credentials ?? '', 'base64')
          .toString()
          .split(':')[1],
      )
    }
    for (const pair of request.headers.cookie?.split('; ') ?? []) keepCookie(pair)
    keepForm(new URLSearchParams(request.url?.split('?')[1]))
    if (!request.headers['content-type']?.startsWith(formType)) return
    // Listened to where bytes enter the stream: reading it would take them from the server.
    const { push } = request
    request.push = function (chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (chunk !== null && chunk.length < 10_000) keepForm(new URLSearchParams(chunk.toString()))
      return push.call(this, chunk, encoding)
    }
  })
}

const formType = 'application/x-www-form-urlencoded'

/** Fails unless each line is one event, as one JSON object, without a secret. The last may be cut off by a kill. */
export function assertCleanLog(lines: readonly string[], { killed = false } = {}): void {
  const requests = new Set<unknown>()
  for (const [index, line] of lines.entries()) {
    if (killed && index === lines.length - 1 && !line.endsWith('}')) continue
    const event = parsed(line)
    assert.ok(event !== null, `a log line is no JSON object: ${line}`)
    assert.ok(Number.isInteger(event['level']) && Number.isInteger(event['time']), line)
    const leak = secretIn(line)
    assert.equal(leak, null, `the log holds a secret (${leak}): ${line}`)
    if (event['msg'] !== 'request') continue
    assert.ok(!requests.has(event['request_id']), `two lines about one request: ${line}`)
    requests.add(event['request_id'])
  }
}

function parsed(line: string): Record<string, unknown> | null {
  if (!/^\{[^\n]*\}\n?$/.test(line)) return null
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}

/** What secret the text holds, or null. */
export function secretIn(text: string): string | null {
  // Any JWT, whether or not it was seen: header and payload are JSON objects.
  if (/eyJ[\w-]{8,}\.eyJ/.test(text)) return 'JWT'
  if (/\bBearer [\w-]{16}|\bBasic [\w+/]{16}/.test(text)) return 'Authorization'
  for (let at = 0; at <= text.length - lookedAt; at++) {
    const what = beginnings.get(text.slice(at, at + lookedAt))
    if (what !== undefined) return what
  }
  return null
}
