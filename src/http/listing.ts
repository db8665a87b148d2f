import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Page } from '../domain/page.ts'
import { head, tail } from './envelope.ts'

const json = 'application/json; charset=utf-8'

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

/**
 * The store's data version as a weak validator (RFC 9110 §8.8.1): weak, since the envelope's timestamp differs each
 * time. The letter keeps the versions of orders and of items apart.
 */
export const etagOf = (kind: 'o' | 'i', version: number): string => `W/"${kind}${version}"`

/** The version that the reader says it has, if it is one of ours. */
export function knownVersion(kind: 'o' | 'i', ifNoneMatch: string | undefined): number | null {
  if (ifNoneMatch === undefined) return null
  for (const tag of ifNoneMatch.split(',')) {
    const digits = new RegExp(`^(?:W/)?"${kind}(\\d{1,15})"$`).exec(tag.trim())?.[1]
    if (digits !== undefined) return Number(digits)
  }
  return null
}

export const notModified = (reply: FastifyReply): FastifyReply => reply.code(304).send(null)
