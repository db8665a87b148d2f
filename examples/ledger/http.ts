import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Html } from './html.ts'

/** The parts of HTTP that the ledger needs. */

const security = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export const sendPage = (response: ServerResponse, status: number, { text }: Html): void =>
  void response
    .writeHead(status, {
      ...security,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    .end(text)

export const redirect = (response: ServerResponse, location: string, status = 303): void =>
  void response.writeHead(status, { location, 'cache-control': 'no-store' }).end()

/** A stream of server-sent events; the browser connects again by itself. */
export function openEvents(response: ServerResponse): { send(data: string): void } {
  response.writeHead(200, { ...security, 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write('retry: 2000\n\n')
  const beat = setInterval(() => response.write(':\n\n'), 20_000)
  response.on('close', () => clearInterval(beat))
  return { send: data => void response.write(`data: ${data}\n\n`) }
}

/** The `__Host-` prefix and `Secure` need https; a site on localhost has neither. */
const cookieName = (site: string): string => (site.startsWith('https:') ? '__Host-ledger' : 'ledger')

export function readSession(request: IncomingMessage, site: string): string | null {
  const start = `${cookieName(site)}=`
  const found = (request.headers.cookie ?? '').split('; ').find(pair => pair.startsWith(start))
  return found?.slice(start.length) || null
}

/** SameSite=Lax: sent when the browser comes back from the consent page, and not with a form of another site. */
export function setSession(response: ServerResponse, site: string, session: string | null): void {
  const secure = site.startsWith('https:') ? '; Secure' : ''
  const age = session === null ? 0 : 30 * 86_400
  const value = `${cookieName(site)}=${session ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`
  response.setHeader('set-cookie', value)
}

/** The body as it arrived; null when it is longer than `most` bytes. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
