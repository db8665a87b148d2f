import type { DatabaseSync } from 'node:sqlite'
import { renewSql } from './changes/history.ts'
import { pauseSql } from './webhooks/webhooks.ts'

/**
 * Makes a copy a database of its own. Clients of `changes` may have seen more than it has, so it gets a new feed; the
 * original may still send webhooks, so the copy does not.
 */
export function separate(copy: DatabaseSync): void {
  copy.exec(renewSql)
  copy.exec(pauseSql)
}
