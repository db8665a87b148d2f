import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Listing, Page } from '../domain/page.ts'
import { head, json, tail } from './envelope.ts'

/** Answers a page: whole when it is small, in pieces at the reader's pace when it is large. */
export function sendPage(reply: FastifyReply, { first, rest }: Page): FastifyReply {
  const opening = Buffer.from(`${head(reply.server.clock.now())}[`)
  const closing = Buffer.from(`]${tail}`)
  reply.type(json)
  if (rest === null) return reply.send(Buffer.concat([opening, first, closing]))
  return reply.send(Readable.from(pieces(opening, first, rest, closing), { objectMode: false }))
}

async function* pieces(
  opening: Uint8Array,
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  closing: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield Buffer.concat([opening, first])
  yield* rest
  yield closing
}

/** Answers a list of one store: its page, or 304 to a reader who has the version that is current. */
export async function answerListing(
  reply: FastifyReply,
  list: (known: number | null) => Promise<Listing>,
): Promise<FastifyReply> {
  const { version, page } = await list(knownVersion(reply.request))
  reply.header('etag', etagOf(reply.request, version))
  return page === null ? reply.code(304).send(null) : sendPage(reply, page)
}

/**
 * The store's data version as a weak validator (RFC 9110 §8.8.1): weak, since the envelope's timestamp differs each
 * time. With the address in it, so that the tag of one window never passes for another's.
 */
const etagOf = (request: FastifyRequest, version: number): string => `W/"${version}-${addressHash(request)}"`

/** The version that the reader says it has of this very list. */
function knownVersion(request: FastifyRequest): number | null {
  const { 'if-none-match': tags } = request.headers
  if (tags === undefined) return null
  const ours = addressHash(request)
  for (const tag of tags.split(',')) {
    const [, digits, hash] = /^(?:W\/)?"(\d{1,15})-([\w-]+)"$/.exec(tag.trim()) ?? []
    if (hash === ours) return Number(digits)
  }
  return null
}

const addressHash = ({ raw }: FastifyRequest): string => hash('sha1', raw.url ?? '', 'base64url').slice(0, 11)
