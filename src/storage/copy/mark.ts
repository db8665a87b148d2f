import { createHash } from 'node:crypto'
import { type CopySource, type CopyTarget, everything, type Tallies } from './port.ts'
import { batchesOf } from './ranges.ts'
import { keyOf, tables, throttles } from '../shared/tables.ts'

/** The tallies of all tables, by name. */
export type Everything = ReadonlyMap<string, Tallies>

const prefix = 'copy:'
const unfinished = `${prefix}unfinished`
/** All keys with the prefix: `;` is the character after its colon. */
const marks = { after: [prefix], through: ['copy;'] }

/**
 * A copy overwrites the target, so it refuses one with other data. The target must be empty or an earlier copy of the
 * same source, which it recognizes by two facts:
 *
 * - The copy left a mark in `throttles`, the table that is not copied: "unfinished", or the fingerprint of all rows. A
 *   changed row means that the target is in use. Marks have an expiry in the past, so a server purges them too.
 * - The source has every account and app of the target. Their ids are random, and a source never deletes one.
 */
export async function assertTarget(source: CopySource, target: CopyTarget): Promise<void> {
  if (await isEmpty(target)) return
  const mark = await readMark(target)
  if (mark === null) {
    throw new Error('the target already holds data that is not a copy; copy into an empty database')
  }
  for (const table of tables.filter(({ name }) => name === 'accounts' || name === 'apps')) {
    const known = new Set<string | undefined>()
    for await (const rows of batchesOf(source, table, everything)) {
      for (const row of rows) known.add(keyOf(table, row)[0])
    }
    for await (const rows of batchesOf(target, table, everything)) {
      if (rows.every(row => known.has(keyOf(table, row)[0]))) continue
      throw new Error('the target is a copy of another database; copy into an empty one')
    }
  }
  if (mark !== unfinished && mark !== fingerprint(await tallyAll(target))) {
    throw new Error(
      'the target has changed since it was copied, and copying again would undo that; copy into an empty database',
    )
  }
}

export const markUnfinished = (target: CopyTarget): Promise<void> => writeMark(target, unfinished)

export const markFinished = (target: CopyTarget, copied: Everything): Promise<void> =>
  writeMark(target, fingerprint(copied))

export async function tallyAll(target: CopyTarget): Promise<Everything> {
  const all = new Map<string, Tallies>()
  for (const table of tables) all.set(table.name, await target.tally(table, everything))
  return all
}

function fingerprint(all: Everything): string {
  const hash = createHash('sha256')
  for (const [name, tallies] of all) {
    for (const store of [...tallies.keys()].sort()) {
      const { rows, sum } = tallies.get(store) ?? { rows: 0, sum: 0n }
      hash.update(`${name} ${store} ${rows} ${sum}\n`)
    }
  }
  return prefix + hash.digest('hex')
}

async function isEmpty(target: CopyTarget): Promise<boolean> {
  // Every database has a feed, from its first moment on.
  for (const table of tables.filter(({ name }) => name !== 'feed')) {
    if ((await target.read(table, everything, 1)).length > 0) return false
  }
  return true
}

async function readMark(target: CopyTarget): Promise<string | null> {
  const [row] = await target.read(throttles, marks, 1)
  return row?.[0] ?? null
}

async function writeMark(target: CopyTarget, mark: string): Promise<void> {
  const old = await target.read(throttles, marks, 10)
  const gone = old.map(row => keyOf(throttles, row))
  await target.write(throttles, [[mark, '0', '0']], gone)
}
