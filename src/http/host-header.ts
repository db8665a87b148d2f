import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { fail } from '../errors.ts'

/**
 * RFC 9112 §3.2: one Host header, no more and, since HTTP/1.1, no less. Checked here because Node would answer a
 * missing one by itself: without a request id, in no format of ours. And no fragment, which the router would drop: a
 * proxy that looks at paths must see the one that is answered.
 */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.raw.url?.includes('#')) {
      return done(fail('request_malformed', 'The request’s address has a fragment (#), which is not sent'))
    }
    const hosts = countHosts(request.raw)
    if (hosts === 1 || (hosts === 0 && request.raw.httpVersion === '1.0')) return done()
    done(fail('request_malformed', `The request has ${hosts} Host headers; it must have one`))
  })
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
