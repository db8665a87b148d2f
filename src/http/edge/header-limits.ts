import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { fail } from '../../errors.ts'
import { originForm } from '../../lib/origin-form.ts'
import { closeAfter } from './delayed-close.ts'

/** Bytes of the URL and the headers of a request together. */
const maxHeaderSize = 16 * 1024

/**
 * Decoded bytes of the URL of an authorization request: a `state` of 2048 characters of any kind, which take up to 8 KiB,
 * and 4 KiB for the rest. The server stores the request until the merchant decides, so it limits the length.
 */
export const maxAuthorizeUrl = 12 * 1024

/** The most that the HTTP parser reads: percent-encoding triples a byte. */
export const parserLimit = maxHeaderSize + 3 * maxAuthorizeUrl

/** The authorization endpoint, whose URL counts by itself, with its limit in `http/oauth`. */
export const isAuthorize = (url: string): boolean => /^\/auth\/v2\/authorize(?:\?|$)/.test(url)

/** Rejects headers that are too large, in the format of the request's surface; the parser's own limit is higher. */
export function limitHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const size = sizeOf(raw)
    if (size <= maxHeaderSize) return done()
    closeAfter(reply)
    const message = `The URL and the headers have ${size} bytes; the most is ${maxHeaderSize}`
    done(fail('headers_too_large', message))
  })
}

function sizeOf({ url = '', rawHeaders }: IncomingMessage): number {
  let size = isAuthorize(originForm(url)) ? 0 : url.length
  for (const text of rawHeaders) size += text.length
  return size
}
