import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const schema = `
  create table if not exists pending (
    session text, state text, verifier text not null, created_at integer not null,
    primary key (session, state)
  ) strict, without rowid;
  create table if not exists connections (session text primary key, tokens text not null) strict, without rowid;
  -- How far the copy of a store has read: the values that the next call of \`changes\` needs.
  create table if not exists positions (
    store_id text primary key, feed text not null, next integer not null
  ) strict, without rowid;
  create table if not exists orders (
    store_id text, id text, created_at text not null, data text not null,
    primary key (store_id, id)
  ) strict, without rowid;
  create index if not exists orders_by_time on orders (store_id, created_at);
`

/** The file holds tokens, so only its owner may read it. Store ids are text: an int64 does not fit a JavaScript number. */
export function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
  const db = new DatabaseSync(file)
  db.exec(`pragma journal_mode = wal; pragma busy_timeout = 5000; ${schema}`)
  return db
}

/** All of it, or nothing. */
export function transaction(db: DatabaseSync, work: () => void): void {
  db.exec('begin immediate')
  try {
    work()
    db.exec('commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}
