import { DatabaseSync } from 'node:sqlite'

// Loaded before Tillgate: an SQLite that can lose a commit when its log is reset (https://sqlite.org/wal.html).
const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (sql, ...rest) {
  return prepare.call(this, sql.replace('sqlite_version()', "'3.51.2'"), ...rest)
}
