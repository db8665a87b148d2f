import { DatabaseSync } from 'node:sqlite'
import { administer } from '../../test/helpers/postgres-admin.ts'
import type { Kind } from './follower.ts'

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
    ? await administer(database, sql(store_id))
    : fromFile(database, sql(store_id))
  return rows.map(({ kind, id, seq, updated_at, doc }) => ({
    kind: kind as Kind,
    id: String(id),
    seq: Number(seq),
    updated_at: Number(updated_at),
    doc: String(doc),
  }))
}

function fromFile(file: string, statement: string): Record<string, unknown>[] {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return connection.prepare(statement).all()
  } finally {
    connection.close()
  }
}
