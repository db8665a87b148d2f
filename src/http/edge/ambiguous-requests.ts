import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { fail } from '../../errors.ts'
import { closeAfter } from './delayed-close.ts'

/** RFC 3986 §2.3: the unreserved characters (letters, digits and `-._~`) need no percent-encoding. */
const encodedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i

/** RFC 3986 §3.2.2: a name or an address, with an optional port. */
const host = /^(?:[\w.~%!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d*)?$/i

/**
 * Rejects requests that a proxy, or the OAuth provider's own router, may read differently than this server does: a proxy
 * that filters by path must see the path that is answered. Node's own check of Host would answer without a request id.
 */
export function refuseAmbiguousRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const targetProblem = problemOfTarget(request.raw)
    if (targetProblem !== null) return done(fail('request_malformed', targetProblem))
    const headerProblem = problemOfHeaders(request.raw)
    if (headerProblem === null) return done()
    // A proxy may also disagree about where the next request begins.
    closeAfter(reply)
    done(fail('request_malformed', headerProblem))
  })
}

function problemOfTarget({ url = '/' }: IncomingMessage): string | null {
  if (url.includes('#')) return 'The request URL has a fragment (#); send it without'
  const [path = ''] = url.split('?', 1)
  if (!encodedUnreserved.test(path)) return null
  return 'The path percent-encodes a letter, a digit or one of "-._~"; send the character itself'
}

function problemOfHeaders({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  // RFC 9112 §6.1: the server would have to decode any other coding.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return 'The request has a transfer coding other than chunked'
  }
  // RFC 9112 §3.2: at most one Host, and exactly one since HTTP/1.1.
  const hosts = countHosts(rawHeaders)
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    return `The request has ${hosts} Host headers; it must have one`
  }
  return hosts === 0 || host.test(headers.host ?? '') ? null : 'The Host header is not a valid host'
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
