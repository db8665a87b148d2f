import type { Audit, AuditAction, AuditEntry, AuditQuery } from '../../port/index.ts'
import { auditColumns, type AuditRow, auditValues, toAuditLine } from '../../shared/audit.ts'
import { contains, searched } from '../lists/contains.ts'
import type { Database } from '../connection/database.ts'
import type { Transaction } from '../connection/transaction.ts'
import type { Value } from '../connection/values.ts'

const insert = `insert into audit_entries (${auditColumns.join(', ')})
  values (${auditColumns.map((_, i) => `$${i + 1}`).join(', ')})`

/** Adds the entry to the transaction, if there is one. */
export function writeAudit(tx: Transaction, entry: AuditEntry | undefined): void {
  if (entry) tx.send(insert, auditValues(entry))
}

export function createAudit(db: Database): Audit {
  return {
    async append(entry) {
      await db.query(insert, auditValues(entry))
    },
    async list(query) {
      const { limit, scan_limit } = query
      const { scanned, matching, values } = conditions(query)
      // One statement, so that the scanned and the matching entries are of one snapshot.
      const rows = await db.query<(AuditRow | { id: null }) & Ends>(
        `with scanned as materialized (select * from audit_entries where ${scanned} order by id desc limit $2),
         found as (
           select ${auditColumns.map(name => `scanned.${name}`).join(', ')},
             accounts.email as account_email, apps.name as app_name
           from scanned
           left join accounts on accounts.id = scanned.account_id
           left join apps on apps.id = scanned.app_id
           where ${matching} order by scanned.id desc limit $1)
         select found.*, ends.scanned_count, ends.last
         from (select count(*) as scanned_count, min(id) as last from scanned) as ends
         left join found on true order by found.id desc`,
        values,
      )
      const found = rows.filter(row => row.id !== null)
      const lines = found
        .slice(0, limit)
        .map(({ scanned_count: _count, last: _last, ...row }) => toAuditLine(row))
      if (found.length > limit) return { lines, next: lines.at(-1)?.id ?? null }
      const [ends] = rows
      return { lines, next: ends?.scanned_count === scan_limit ? (ends?.last ?? null) : null }
    },
  }
}

/** How many entries were scanned, and the oldest of them. */
interface Ends {
  scanned_count: number
  last: string | null
}

/**
 * A literal in the statement: a generic plan would scan the whole log for a rare action. It cannot inject SQL, because
 * it is one of a closed set of names.
 */
function named(action: AuditAction): string {
  if (!/^[a-z_]+$/.test(action)) throw new Error(`no action is called ${JSON.stringify(action)}`)
  return `'${action}'`
}

/** `scanned`: conditions that an index serves; `matching`: conditions that are checked entry by entry. */
function conditions({ account_id, app_id, action, search = '', before, limit, scan_limit }: AuditQuery) {
  const values: Value[] = [limit + 1, scan_limit]
  const given = (value: string): string => `$${values.push(value)}::text`
  const scanned = ['true']
  if (account_id !== undefined) {
    const id = given(account_id)
    scanned.push(`(actor_id = ${id} or account_id = ${id})`)
  }
  if (app_id !== undefined) scanned.push(`app_id = ${given(app_id)}`)
  if (action !== undefined) scanned.push(`action = ${named(action)}`)
  if (before !== undefined) scanned.push(`id < ${given(before)}`)
  let matching = 'true'
  if (search !== '') {
    const text = given(search)
    const [folded, pattern] = searched(search).map(given) as [string, string]
    const parts = ['actor_name', 'accounts.email', 'apps.name', 'detail'].map(part =>
      contains(part, folded, pattern),
    )
    matching = `(${parts.join(' or ')} or ${text} in (scanned.app_id, address, request_id)
      or strpos(',' || store_ids || ',', ',' || ${text} || ',') > 0)`
  }
  return { scanned: scanned.join(' and '), matching, values }
}
