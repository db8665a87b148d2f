import { maxOrderCount } from '../../contract/paging.ts'
import type { AccessFacts, Chunk, Cursor, NextChunk } from '../../storage/port/index.ts'

/** Entries of the first read, when their size is not known yet: a usual page needs no second one. */
export const usualPage = 128

/** Bytes of each later read, so that a large page is never in memory as a whole. */
const pieceBytes = 192 * 1024

/** Entries of a later read at most. */
const mostRows = 1000

/**
 * How many entries the first read takes; later reads continue behind the last entry. Items sorted by update time may
 * move while the page is being sent, so that one comes twice and another never: these are read at once, up to 2000.
 */
export const firstRows = (count: number, places: 'fixed' | 'moving' = 'fixed'): number =>
  Math.min(count, places === 'fixed' ? usualPage : maxOrderCount)

/** Entries to skip. The product of two int32 may exceed the exact numbers; no list is that long. */
export const offsetOf = ({ index, count }: { index: number; count: number }): number =>
  Math.min(index * count, Number.MAX_SAFE_INTEGER)

/** A page as bytes, which the caller may release: the first piece and, when the page is large, how to get the rest. */
export interface Page {
  first: Uint8Array
  /** Pieces that follow with a comma between each two. */
  rest: AsyncIterable<Uint8Array> | null
  /** Entries read so far: those of `first`, and more as the rest is read. */
  rows: number
}

/** A list of one store: its data version, and the page unless the caller has that version already. */
export interface Listing {
  version: number
  page: Page | null
}

/** How the rest of a page is read. */
export interface Rest {
  /** Reads so many entries behind a cursor. */
  more(after: Cursor, limit: number): Promise<NextChunk>
  /** Throws when the access was revoked meanwhile. */
  check(facts: AccessFacts): void
}

/** `limit` entries from the first chunk on. */
export function pageOf(chunk: Chunk, limit: number, rest: Rest): Page {
  const page: Page = { first: chunk.bytes, rest: null, rows: chunk.rows }
  if (chunk.next !== null && chunk.rows < limit) {
    page.rest = follow(page, chunk.next, chunk.bytes.length, limit, rest)
  }
  return page
}

/** `read`: the bytes of the first chunk, whose memory is released before this runs. */
async function* follow(
  page: Page,
  after: Cursor,
  read: number,
  limit: number,
  rest: Rest,
): AsyncGenerator<Uint8Array> {
  let next: Cursor | null = after
  let bytes = read
  while (next !== null && page.rows < limit) {
    const rows = Math.min(limit - page.rows, piece(bytes / page.rows))
    const chunk: NextChunk = await rest.more(next, rows)
    rest.check(chunk.facts)
    page.rows += chunk.rows
    bytes += chunk.bytes.length
    next = chunk.next
    if (chunk.rows > 0) yield chunk.bytes
  }
}

/** How many entries of an average size make a piece. */
const piece = (size: number): number => Math.max(1, Math.min(mostRows, Math.floor(pieceBytes / size)))
