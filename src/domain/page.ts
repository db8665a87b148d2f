import { maxOrderCount } from '../contract/paging.ts'
import type { Chunk, Cursor } from '../storage/port.ts'

/** Entries read from the database at a time, so that a large page never stands in memory whole. */
const chunkRows = 250

/**
 * How much of a page is read at first. A list whose entries keep their places is read on behind the last one, piece by
 * piece. Where an entry may move while the page is being sent, to be sent twice and crowd another one out, the page is
 * read at once; only one beyond any page of orders is still cut.
 */
export const firstRows = (count: number, places: 'fixed' | 'moving'): number =>
  Math.min(count, places === 'fixed' ? chunkRows : maxOrderCount)

/** Entries to skip. Two int32 can multiply past what a number holds exactly; nothing is stored that far. */
export const offsetOf = ({ index, count }: { index: number; count: number }): number =>
  Math.min(index * count, Number.MAX_SAFE_INTEGER)

/** A page as bytes: what is there now, and, when it is large, how to get the rest piece by piece. */
export interface Page {
  first: Uint8Array
  rest: AsyncIterable<Uint8Array> | null
}

/** The answer to a list of one store: its data version, and the page unless the caller has that version already. */
export interface Listing {
  version: number
  page: Page | null
}

/** `limit` entries from the first chunk on; `more` reads behind a cursor. */
export function pageOf(
  chunk: Chunk,
  limit: number,
  more: (after: Cursor, rows: number) => Promise<Chunk>,
): Page {
  const left = limit - chunk.rows
  if (chunk.next === null || left <= 0) return { first: chunk.bytes, rest: null }
  return { first: chunk.bytes, rest: follow(chunk.next, left, more) }
}

const comma = Buffer.from(',')

async function* follow(
  after: Cursor,
  left: number,
  more: (after: Cursor, rows: number) => Promise<Chunk>,
): AsyncGenerator<Uint8Array> {
  let cursor: Cursor | null = after
  while (cursor !== null && left > 0) {
    const chunk: Chunk = await more(cursor, Math.min(left, chunkRows))
    if (chunk.rows > 0) yield Buffer.concat([comma, chunk.bytes])
    left -= chunk.rows
    cursor = chunk.next
  }
}
