import { Readable } from 'node:stream'
import { fail } from '../../errors.ts'
import { tooLarge } from '../../ingest/ingest.ts'
import { gunzip } from '../../lib/gunzip.ts'

const MiB = 1024 * 1024

/** Limits of one request. A batch is one transaction and stays in memory until its commit. */
export const limits = {
  /** Bytes of the body as it is sent. */
  sent: 32 * MiB,
  /** Bytes of the body once it is expanded. */
  expanded: 64 * MiB,
  /** Bytes of its records as they are stored. */
  stored: 80 * MiB,
  lines: 50_000,
}

/** Memory for the batches of a process: one of any permitted size, and 16 MiB for others of up to 2 MiB. */
export const memory = {
  shared: 16 * MiB,
  most: 2 * MiB,
  maxQueue: 100,
  maxWait: 20_000,
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
      throw fail('media_type_unsupported', `Content-Encoding is ${encoding}; it must be gzip or identity`, {
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
