import type { Cursor } from '../port/index.ts'

/** The ids that a page of orders was fixed to when it began, and how much of it is still to be read. */
export interface PageSnapshot {
  /** The list's version at that time. While it is current, the entries can be read as a range behind `key`. */
  version: number
  key: Cursor
  /** The ids as a JSON array; the first `done` have been read. */
  ids: string
  done: number
  left: number
}

/** No sort key begins with this: they begin with a number. */
const mark = 'snapshot'

export const snapshotCursor = ({ version, ids, done, left, key }: PageSnapshot): Cursor => [
  mark,
  version,
  ids,
  done,
  left,
  ...key,
]

/** Null for a cursor that is only a sort key. */
export function readSnapshot(cursor: Cursor): PageSnapshot | null {
  const [first, version, ids, done, left, ...key] = cursor
  if (first !== mark) return null
  return { version: Number(version), ids: String(ids), done: Number(done), left: Number(left), key }
}

/** The ids of the next entries. */
export const nextIds = ({ ids, done }: PageSnapshot, limit: number): string[] =>
  (JSON.parse(ids) as string[]).slice(done, done + limit)

/** The cursor after `rows` more entries; null at the end of the page. */
export const advance = (snapshot: PageSnapshot, rows: number, key: Cursor = snapshot.key): Cursor | null =>
  rows < snapshot.left
    ? snapshotCursor({ ...snapshot, key, done: snapshot.done + rows, left: snapshot.left - rows })
    : null

/**
 * A page whose list has changed is read by its ids from then on: `key` is no longer kept up to date, and a replica
 * that lags behind may still have the snapshot's version.
 */
export const withoutRange = (snapshot: PageSnapshot): PageSnapshot => ({ ...snapshot, version: -1 })
