import { parseExact } from '../../lib/exact-json.ts'
import type { Cursor } from '../../storage/port/index.ts'
import { type Listing, usualPage } from '../reading/page.ts'

/** Entries read for one page of results at most; the next page continues from there. */
const budget = 20_000

/** A list of the API, read from behind a sort key on. */
export interface Source<Entry> {
  read(behind: Cursor | undefined, count: number): Promise<Listing>
  /** The sort key of an entry. */
  keyOf(entry: Entry): Cursor
}

/** What is looked for. */
export interface Wanted<Entry> {
  matches(entry: Entry): boolean
  /** Part of the JSON of each entry that matches, in lower case: batches without it are not parsed. */
  text?: string | undefined
}

export interface Found<Entry> {
  entries: Entry[]
  /** Continues behind this key; null at the end of the list. There may be no further match. */
  next: Cursor | null
  /** Entries that were read. */
  scanned: number
}

/** Reads batches in the order of the list; `left` is how many entries may still be read. */
export async function scan<Entry>(
  source: Source<Entry>,
  wanted: Wanted<Entry>,
  { behind, limit, left = budget }: { behind: Cursor | undefined; limit: number; left?: number },
): Promise<Found<Entry>> {
  const entries: Entry[] = []
  let scanned = 0
  for await (const batch of batches(source, behind, wanted.text)) {
    scanned += batch.rows
    for (const entry of batch.entries) {
      if (!wanted.matches(entry)) continue
      // One more than the page needs: there is a next page.
      if (entries.length === limit) return { entries, next: source.keyOf(entries.at(-1) as Entry), scanned }
      entries.push(entry)
    }
    if (scanned >= left) return { entries, next: batch.end, scanned }
  }
  return { entries, next: null, scanned }
}

interface Batch<Entry> {
  entries: Entry[]
  rows: number
  /** The sort key of the last entry, if another batch may follow. */
  end: Cursor | null
}

/** The whole list in batches: one read of the storage for each, so that access is checked again and others can run. */
export async function* batches<Entry>(
  source: Source<Entry>,
  behind?: Cursor,
  text?: string,
): AsyncGenerator<Batch<Entry>> {
  for (let key = behind; ; ) {
    const { page } = await source.read(key, usualPage)
    if (page === null) throw new Error('the list was read without a known version, but came without a page')
    const json = Buffer.concat(page.first).toString()
    const parsed = text === undefined || json.toLowerCase().includes(text)
    const { rows, end } = page
    yield { entries: parsed ? (parseExact(`[${json}]`) as Entry[]) : [], rows, end }
    if (end === null) return
    key = end
  }
}
