import { DatabaseSync } from 'node:sqlite'
import { administer } from '../../test/helpers/postgres-admin.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Copy, keyOf, type Kind, parse, Violation } from './follower.ts'

/** What a database holds, read by SQL and not through the server. */

export interface StoredRow {
  kind: Kind
  id: string
  seq: number
  updated_at: number
  doc: string
}

const sql = (store_id: number): string =>
  `select 'order' as kind, id, cast(seq as text) as seq, cast(updated_at as text) as updated_at, doc
     from orders where store_id = ${store_id}
   union all select 'item', cast(id as text), cast(seq as text), cast(updated_at as text), doc
     from items where store_id = ${store_id}`

export async function storedRows(database: string, store_id: number): Promise<StoredRow[]> {
  const rows = database.startsWith('postgres:')
    ? await inTime(administer(database, sql(store_id), { fetch_types: false }))
    : fromFile(database, sql(store_id))
  return rows.map(({ kind, id, seq, updated_at, doc }) => ({
    kind: kind as Kind,
    id: String(id),
    seq: Number(seq),
    updated_at: Number(updated_at),
    doc: String(doc),
  }))
}

/**
 * When the database is killed during a statement, the driver may never settle it (porsager/postgres#1214). Its own
 * statement for types would reject where nobody can catch it, which is why that is off.
 */
async function inTime<T>(statement: Promise<T>): Promise<T> {
  const late = new AbortController()
  const timeout = sleep(10_000, null, { signal: late.signal }).then(() => {
    throw new Error('no answer from the database')
  })
  try {
    return await Promise.race([statement, timeout])
  } finally {
    late.abort()
    timeout.catch(() => {})
  }
}

/** Throws unless a copy has exactly these rows. */
export function checkCopy({ rows: known }: Copy, rows: readonly StoredRow[]): void {
  if (new Set(rows.map(({ seq }) => seq)).size !== rows.length) throw new Violation('a seq is used twice')
  if (rows.length !== known.size) throw new Violation(`${known.size} rows of ${rows.length}`)
  for (const { kind, id, seq, doc } of rows) {
    const own = known.get(keyOf(kind, id))
    if (own?.seq !== seq || !isDeepStrictEqual(own.data, parse(doc)))
      throw new Violation(`${kind} ${id} differs: seq ${own?.seq}, the server has ${seq}`)
  }
}

function fromFile(file: string, statement: string): Record<string, unknown>[] {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return connection.prepare(statement).all()
  } finally {
    connection.close()
  }
}
