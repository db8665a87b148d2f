import { DatabaseSync } from 'node:sqlite'

// Loaded before Tillgate: an SQLite that does not flush every commit, whatever its pragmas say.
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  return exec.call(this, sql.replace('synchronous = full', 'synchronous = normal'))
}
