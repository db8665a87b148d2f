import type { Audit, AuditEntry, AuditQuery } from '../../port/index.ts'
import { auditColumns, type AuditRow, auditValues, toAuditLine } from '../../shared/audit.ts'
import { contains } from '../lists/contains.ts'
import type { Database } from '../connection/database.ts'

/** Adds the entry to the open transaction, if there is one. */
export type WriteAudit = (entry: AuditEntry | undefined) => void

export function createAuditWriter(db: Database): WriteAudit {
  const insert = db.prepare(
    `insert into audit_entries (${auditColumns.join(', ')}) values (${auditColumns.map(() => '?').join(', ')})`,
  )
  return entry => {
    if (entry) insert.run(...auditValues(entry))
  }
}

export function createAudit(db: Database, writeAudit: WriteAudit): Audit {
  return {
    append: entry => db.write(() => writeAudit(entry)),
    list: query =>
      db.snapshot(() => {
        const { limit, scan_limit } = query
        const scanned = scannedOf(query)
        const matching = matchingOf(query)
        const rows = db
          .prepare<AuditRow>(
            `select ${auditColumns.map(name => `entries.${name}`).join(', ')},
               accounts.email as account_email, apps.name as app_name
             from (select * from ${scanned.sql}) as entries
             left join accounts on accounts.id = entries.account_id
             left join apps on apps.id = entries.app_id
             where ${matching.sql} order by entries.id desc limit ?`,
          )
          .all(...scanned.values, ...matching.values, limit + 1)
        const lines = rows.slice(0, limit).map(toAuditLine)
        if (rows.length > limit) return { lines, next: lines.at(-1)?.id ?? null }
        const end = db
          .prepare<{ count: number; last: string | null }>(
            `select count(*) as count, min(id) as last from (select id from ${scanned.sql})`,
          )
          .get(...scanned.values)
        return { lines, next: end?.count === scan_limit ? end.last : null }
      }),
  }
}

interface Condition {
  sql: string
  values: (string | number)[]
}

/** Conditions that an index serves. */
function scannedOf({ account_id, app_id, action, before, scan_limit }: AuditQuery): Condition {
  const where = ['true']
  const values: string[] = []
  const add = (condition: string, ...given: string[]) => {
    where.push(condition)
    values.push(...given)
  }
  if (account_id !== undefined) add('(actor_id = ? or account_id = ?)', account_id, account_id)
  if (app_id !== undefined) add('app_id = ?', app_id)
  if (action !== undefined) add('action = ?', action)
  if (before !== undefined) add('id < ?', before)
  return {
    sql: `audit_entries where ${where.join(' and ')} order by id desc limit ?`,
    values: [...values, scan_limit],
  }
}

/** Conditions that are checked entry by entry. */
function matchingOf({ search = '' }: AuditQuery): Condition {
  if (search === '') return { sql: 'true', values: [] }
  const parts = ['actor_name', 'accounts.email', 'apps.name', 'detail'].map(part => contains(part, '?'))
  return {
    sql: `(${parts.join(' or ')} or ? in (entries.app_id, address, request_id)
      or instr(',' || store_ids || ',', ',' || ? || ',') > 0)`,
    values: [...parts.map(() => search), search, search],
  }
}
