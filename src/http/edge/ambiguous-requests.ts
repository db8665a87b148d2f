import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { fail } from '../../errors.ts'
import { closeAfter } from './delayed-close.ts'

/** RFC 3986 §2.3: letters, digits and `-._~` mean the same as themselves, and need no encoding. */
const encodedPlain = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i

/** RFC 3986 §3.2.2: a name or an address, and a port. */
const host = /^(?:[\w.~%!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d*)?$/i

/**
 * Refuses requests that somebody on their way, or behind us, may read differently: a proxy that lets paths through by
 * their names must see the one that is answered, and so must the OAuth provider, which has a router of its own. Node
 * would answer a missing Host by itself, without a request id, in no format of ours.
 */
export function refuseAmbiguousRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const misspelt = troubleWithAddress(request.raw)
    if (misspelt !== null) return done(fail('request_malformed', misspelt))
    const misframed = troubleWithHeaders(request.raw)
    if (misframed === null) return done()
    // What follows on the connection may be read differently too.
    closeAfter(reply)
    done(fail('request_malformed', misframed))
  })
}

function troubleWithAddress({ url = '/' }: IncomingMessage): string | null {
  if (url.includes('#')) return 'The request’s address has a fragment (#), which is not sent'
  const [path = ''] = url.split('?', 1)
  if (!encodedPlain.test(path)) return null
  return 'The path has a letter, a digit or one of "-._~" in an encoded form; write it as it is'
}

function troubleWithHeaders({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  // RFC 9112 §6.1: any other coding would have to be undone.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return 'The request has a transfer coding other than chunked'
  }
  // RFC 9112 §3.2: one Host, no more and, since HTTP/1.1, no less.
  const hosts = countHosts(rawHeaders)
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    return `The request has ${hosts} Host headers; it must have one`
  }
  return hosts === 0 || host.test(headers.host ?? '') ? null : 'The request’s Host header is not a host'
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
