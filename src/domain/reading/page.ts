import { maxOrderCount } from '../../contract/paging.ts'
import type { AccessFacts, Chunk, Cursor } from '../../storage/port/index.ts'

/** Entries that are read at first, when their size is not known yet: the usual page at once. */
export const usualPage = 128

/** Bytes that are read at a time from then on, so that a large page never stands in memory whole. */
const pieceBytes = 192 * 1024

/** However small they are. */
const mostRows = 1000

/**
 * How much of a page is read at first. The rest is read on behind the last entry, piece by piece. Items by the time of
 * their update may move while the page is being sent, to be sent twice and crowd another one out: these are read at once,
 * and only a page beyond any page of orders is still cut.
 */
export const firstRows = (count: number, places: 'fixed' | 'moving' = 'fixed'): number =>
  Math.min(count, places === 'fixed' ? usualPage : maxOrderCount)

/** Entries to skip. Two int32 can multiply past what a number holds exactly; nothing is stored that far. */
export const offsetOf = ({ index, count }: { index: number; count: number }): number =>
  Math.min(index * count, Number.MAX_SAFE_INTEGER)

/** A page as bytes, which are the taker's own: what is there now and, when it is large, how to get the rest. */
export interface Page {
  first: Uint8Array
  /** Pieces that follow with a comma between each two. */
  rest: AsyncIterable<Uint8Array> | null
  /** Entries read so far: those of `first`, and more as the rest is read. */
  rows: number
}

/** The answer to a list of one store: its data version, and the page unless the caller has that version already. */
export interface Listing {
  version: number
  page: Page | null
}

/** How a page is read on. */
export interface Rest {
  /** Reads so many entries behind a cursor. */
  more(after: Cursor, rows: number): Promise<Chunk>
  /** Throws when whoever began to read may not go on. */
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

/** `read`: the bytes of the first chunk, told now: when this runs, they have been sent and given back. */
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
    const chunk: Chunk = await rest.more(next, rows)
    if (!chunk.facts) throw new Error('a page was read on without asking who may read it')
    rest.check(chunk.facts)
    page.rows += chunk.rows
    bytes += chunk.bytes.length
    next = chunk.next
    if (chunk.rows > 0) yield chunk.bytes
  }
}

/** How many entries of an average size make a piece. */
const piece = (size: number): number => Math.max(1, Math.min(mostRows, Math.floor(pieceBytes / size)))
