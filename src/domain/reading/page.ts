import { maxOrderCount } from '../../contract/paging.ts'
import type { AccessFacts, Chunk, Cursor, NextChunk } from '../../storage/port/index.ts'

/** Entries of the first read, when their size is not known yet: a usual page needs no second one. */
export const usualPage = 128

/** Bytes of each later read, so that a large page is never in memory as a whole. */
const pieceBytes = 384 * 1024

/** Entries of a later read at most. */
const mostRows = 1000

/** How many entries the first read takes; later reads continue behind the last entry. */
export const firstRows = (count: number): number => Math.min(count, usualPage)

/**
 * The same for items and stores, which are small. Up to 2000 are read at once, because a page must end where the next
 * one begins, whatever is written while it is being sent.
 */
export const firstSmallRows = (count: number): number => (count <= maxOrderCount ? count : usualPage)

/** Entries to skip. The product of two int32 may exceed the exact numbers; no list is that long. */
export const offsetOf = ({ index, count }: { index: number; count: number }): number =>
  Math.min(index * count, Number.MAX_SAFE_INTEGER)

/** Entries as bytes, in parts that follow each other. */
export type Piece = readonly Uint8Array[]

/** A page as bytes, which the caller may release: the first piece and, when the page is large, how to get the rest. */
export interface Page {
  first: Piece
  /** Pieces that follow with a comma between each two. */
  rest: AsyncIterable<Piece> | null
  /** Entries read so far: those of `first`, and more as the rest is read. */
  rows: number
  /** The sort key of the last entry, when another page may follow. */
  end: Cursor | null
}

/** Where a page begins: at a page number, or behind the last entry of another page. */
export interface PageStart {
  index: number
  count: number
  behind?: Cursor | undefined
}

/** A list of one store: its data version, and the page unless the caller has that version already. */
export interface Listing {
  version: number
  page: Page | null
}

/** How the rest of a page is read. */
export interface Rest<Next extends NextChunk> {
  /** Reads so many entries behind a cursor. */
  more(after: Cursor, limit: number): Promise<Next>
  /** Throws when the access was revoked meanwhile: what was read then is not part of the page. */
  check(facts: AccessFacts): void
  /** Called with what is part of the page. */
  add?(chunk: Next): void
}

/** `limit` entries from the first chunk on; `end` is the sort key of the last one, if a page may follow. */
export function pageOf<Next extends NextChunk>(
  chunk: Chunk,
  limit: number,
  end: Cursor | null,
  rest: Rest<Next>,
): Page {
  const page: Page = {
    first: chunk.parts,
    rest: null,
    rows: chunk.rows,
    end: limit <= maxOrderCount ? end : null,
  }
  if (chunk.next !== null && chunk.rows < limit) {
    page.rest = follow(page, chunk.next, lengthOf(chunk.parts), limit, rest)
  }
  return page
}

/** `read`: the bytes of the first chunk, whose memory is released before this runs. */
async function* follow<Next extends NextChunk>(
  page: Page,
  after: Cursor,
  read: number,
  limit: number,
  rest: Rest<Next>,
): AsyncGenerator<Piece> {
  let next: Cursor | null = after
  let bytes = read
  while (next !== null && page.rows < limit) {
    const rows = Math.min(limit - page.rows, piece(bytes / page.rows))
    const chunk: Next = await rest.more(next, rows)
    rest.check(chunk.facts)
    rest.add?.(chunk)
    page.rows += chunk.rows
    bytes += lengthOf(chunk.parts)
    next = chunk.next
    if (chunk.rows > 0) yield chunk.parts
  }
}

const lengthOf = (piece: Piece): number => piece.reduce((sum, { length }) => sum + length, 0)

/** How many entries of an average size make a piece. */
const piece = (size: number): number => Math.max(1, Math.min(mostRows, Math.floor(pieceBytes / size)))
