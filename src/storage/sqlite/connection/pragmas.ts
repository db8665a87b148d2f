import type { DatabaseSync } from 'node:sqlite'

/** The first release in which a checkpoint cannot lose a commit of another process: https://sqlite.org/wal.html#walresetbug */
const oldestVersion = '3.51.3'

/** The order matters, as each comment says. */
export function configure(connection: DatabaseSync): void {
  assertVersion(sqliteVersion(connection))
  // It has an effect only before the first write. A page holds 13 orders of 1.2 KB instead of 3.
  connection.exec('pragma page_size = 16384')
  // This fixes the page size. Readers and one writer do not wait for each other.
  connection.exec('pragma journal_mode = wal')
  // After journal_mode, whose change may reset it. Every commit is on disk before the server acknowledges it.
  connection.exec('pragma synchronous = full')
  connection.exec('pragma foreign_keys = on')
  // 8 MiB for each connection: the page cache of the system holds the file too (docs/performance.md, Memory). No mmap:
  // it would make a page of orders a third faster, but it is limited to 2 GB and turns a disk error into SIGBUS.
  connection.exec('pragma cache_size = -8192')
  // So that sorting never writes to /tmp, which may be small or readable by others.
  connection.exec('pragma temp_store = memory')
  // A bulk load grows the write-ahead log; the next checkpoint truncates it to this size.
  connection.exec('pragma journal_size_limit = 67108864')
  const synchronous = value(connection, 'pragma synchronous')
  if (synchronous !== 2) {
    throw new Error(
      `SQLite's synchronous is ${synchronous}; it must be 2 (FULL), or an acknowledged write could be lost`,
    )
  }
}

export const sqliteVersion = (connection: DatabaseSync): string =>
  value(connection, 'select sqlite_version()') as string

export function assertVersion(version: string): void {
  const [found, needed] = [version, oldestVersion].map(text =>
    text.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0),
  ) as [number, number]
  if (found < needed) throw new Error(`SQLite is ${version}; Tillgate needs ${oldestVersion} or later`)
}

const value = (connection: DatabaseSync, sql: string): unknown =>
  Object.values(connection.prepare(sql).get() ?? {})[0]
