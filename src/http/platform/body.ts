import { Readable } from 'node:stream'
import { fail } from '../../errors.ts'
import { gunzip } from '../../lib/gunzip.ts'

/** Limits of one request. A batch is one transaction and stays in memory until its commit. */
export const limits = {
  /** Bytes of the body as it is sent. */
  sent: 32 * 1024 * 1024,
  /** Bytes of the body once it is expanded. */
  expanded: 64 * 1024 * 1024,
  lines: 50_000,
  /** Characters of all bodies that one process holds at a time. */
  held: 128 * 1024 * 1024,
}

/** The bytes of a request body, expanded, as they arrive. */
export function expand(body: Readable, encoding = 'identity'): AsyncIterable<Buffer> {
  const sent = bounded(withoutDestroying(body), limits.sent, 'bytes as sent')
  switch (encoding.trim().toLowerCase()) {
    case 'identity':
      return sent
    case 'gzip':
    case 'x-gzip': // RFC 9110 §8.4.1.3: the same
      return bounded(unzipped(sent), limits.expanded, 'bytes when expanded')
    default:
      throw fail('media_type_unsupported', 'Content-Encoding must be gzip or identity', {
        headers: { 'accept-encoding': 'gzip' }, // RFC 9110 §12.5.3
      })
  }
}

/** When we stop reading early the connection stays open, so that the client gets to read why. */
async function* withoutDestroying(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } catch (error) {
    throw fail('request_malformed', 'The body ended before it was complete', { cause: error })
  }
}

async function* bounded(pieces: AsyncIterable<Buffer>, most: number, what: string): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > most) throw tooLarge(`${most} ${what}`)
    yield piece
  }
}

async function* unzipped(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* gunzip(Readable.from(pieces))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) {
      throw fail('request_malformed', 'The body is not complete gzip data', { cause: error })
    }
    throw error
  }
}

const tooLarge = (most: string) =>
  fail(
    'body_too_large',
    `The body has more than ${most}, the maximum for one request; split it into several requests`,
  )
