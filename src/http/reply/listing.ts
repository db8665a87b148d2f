import { crc32 } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChangesPage } from '../../domain/reading/changes.ts'
import type { Listing, Page, Piece } from '../../domain/reading/page.ts'
import type { Cursor } from '../../storage/port/index.ts'
import { release } from '../../lib/release.ts'
import { head, json, tail } from './envelope.ts'
import { admitPieces } from '../admission/overload.ts'
import { sendPieces, sendWhole } from './send.ts'

const closing = Buffer.from(`]${tail}`)
const comma = Buffer.from(',')

/** Sends a page: at once when it is small, in pieces under back-pressure when it is large. */
export async function sendPage(reply: FastifyReply, page: Page): Promise<FastifyReply> {
  if (matchesAny(reply.request)) {
    page.first.forEach(release)
    return reply.code(304).send()
  }
  reply.request.page = page
  reply.header('content-type', json)
  const opening = Buffer.from(`${head(reply.server.clock.now())}[`)
  const { first, rest } = page
  if (rest === null) return sendWhole(reply, [opening, ...first, closing])
  return sendPieces(reply, pieces(opening, first, admitPieces(reply.request, rest)))
}

async function* pieces(
  opening: Uint8Array,
  first: Piece,
  rest: AsyncIterable<Piece>,
  end: () => Uint8Array = () => closing,
): AsyncGenerator<Uint8Array[]> {
  yield [opening, ...first]
  for await (const piece of rest) yield [comma, ...piece]
  yield [end()]
}

/** Sends a page of changes: the entries, and behind them what is known once all are read. */
export async function sendChanges(reply: FastifyReply, page: ChangesPage): Promise<FastifyReply> {
  reply.request.page = page
  reply.header('content-type', json)
  const { feed, first, rest } = page
  const opening = Buffer.from(
    `${head(reply.server.clock.now())}{"feed":"${feed}","kinds":${JSON.stringify(page.kinds)},"changes":[`,
  )
  const end = () => {
    const { next, more } = page.position()
    return Buffer.from(`],"next":${next},"more":${more}}${tail}`)
  }
  if (rest === null) return sendWhole(reply, [opening, ...first, end()])
  return sendPieces(reply, pieces(opening, first, admitPieces(reply.request, rest), end))
}

/** Sends a list of one store: its page, with `link` to the next one, or 304 when the client has the current version. */
export async function answerListing(
  reply: FastifyReply,
  list: (known: number | null) => Promise<Listing>,
  link: (end: Cursor | null) => void = () => {},
): Promise<FastifyReply> {
  const address = addressHash(reply.request)
  const { version, page } = await list(knownVersion(reply.request, address))
  reply.header('etag', `W/"${version}-${address}"`)
  if (page) link(page.end)
  return page === null ? reply.code(304).send() : sendPage(reply, page)
}

/** RFC 9110 §13.1.2: `*` matches any current version, and a list that may be read always has one. */
const matchesAny = ({ headers }: FastifyRequest): boolean => headers['if-none-match']?.trim() === '*'

/** The version of this list that the client has, by its If-None-Match. */
function knownVersion({ headers }: FastifyRequest, address: string): number | null {
  const { 'if-none-match': tags } = headers
  if (tags === undefined) return null
  let known: number | null = null
  for (const tag of tags.split(',')) {
    const [, digits, hash] = /^\s*(?:W\/)?"(\d{1,16})-([\w-]+)"\s*$/.exec(tag) ?? []
    // Versions rise, so only the highest can be current.
    if (hash === address) known = Math.max(known ?? 0, Number(digits))
  }
  return known
}

/**
 * The second part of an ETag, so that the tag of one window does not match another: two addresses have the same checksum
 * once in four billion times. The ETag is weak (RFC 9110 §8.8.1) because the envelope's timestamp always differs.
 */
const addressHash = ({ raw }: FastifyRequest): string => crc32(raw.url ?? '').toString(36)
