import { DatabaseSync } from 'node:sqlite'
import type { BareOrder } from './order.ts'

/**
 * The limit for writing: the same documents into one bare table, clustered as ours, with the same durability and the
 * same number of orders a transaction. No validation, no second index, no rollups. Returns orders a second.
 */
export function bareInserts(file: string, orders: readonly BareOrder[], batch: number): number {
  const db = new DatabaseSync(file)
  db.exec('pragma page_size = 16384; pragma journal_mode = wal; pragma synchronous = full')
  db.exec(`create table orders (store_id integer, created_at text, id text, doc text,
    primary key (store_id, created_at, id)) strict, without rowid`)
  const insert = db.prepare('insert into orders values (?, ?, ?, ?)')
  const start = performance.now()
  for (let at = 0; at < orders.length; at += batch) {
    db.exec('begin immediate')
    for (const { store_id, created_at, id, doc } of orders.slice(at, at + batch)) {
      insert.run(store_id, created_at, id, doc)
    }
    db.exec('commit')
  }
  const seconds = (performance.now() - start) / 1000
  db.close()
  return orders.length / seconds
}
