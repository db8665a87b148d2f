import type { Cursor } from '../port/index.ts'

/** What is left of a page whose entries were settled when it began. */
export interface Pin {
  /** The version that the list had then. While it has it, the entries follow each other behind `key`. */
  version: number
  key: Cursor
  /** Their ids, as a JSON array; the first `done` have been read since. */
  ids: string
  done: number
  left: number
}

/** No sort key begins with this: they begin with a number. */
const mark = 'pinned'

export const pinned = ({ version, ids, done, left, key }: Pin): Cursor => [
  mark,
  version,
  ids,
  done,
  left,
  ...key,
]

/** Null for a cursor that is a sort key alone. */
export function readPin(cursor: Cursor): Pin | null {
  const [first, version, ids, done, left, ...key] = cursor
  if (first !== mark) return null
  return { version: Number(version), ids: String(ids), done: Number(done), left: Number(left), key }
}

/** The ids of the next entries. */
export const nextIds = ({ ids, done }: Pin, limit: number): string[] =>
  (JSON.parse(ids) as string[]).slice(done, done + limit)

/** Where it goes on after `rows` entries more; null when that were all. */
export const advance = (pin: Pin, rows: number, key: Cursor = pin.key): Cursor | null =>
  rows < pin.left ? pinned({ ...pin, key, done: pin.done + rows, left: pin.left - rows }) : null

/** Once read by their names, entries are always: a replica that is behind may still have the version that was left. */
export const named = (pin: Pin): Pin => ({ ...pin, version: -1 })
