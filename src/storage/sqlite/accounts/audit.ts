import type { Audit, AuditEntry, AuditLine, AuditQuery } from '../../port/index.ts'
import { contains } from '../lists/contains.ts'
import type { Database } from '../connection/database.ts'

type AuditRow = Omit<AuditLine, 'store_ids'> & { store_ids: string }

/** Adds the entry to the open transaction, if there is one. */
export type WriteAudit = (entry: AuditEntry | undefined) => void

const columns = [
  'id',
  'at',
  'action',
  'actor_kind',
  'actor_id',
  'actor_name',
  'account_id',
  'app_id',
  'store_ids',
  'detail',
  'address',
  'request_id',
] as const

export function createAuditWriter(db: Database): WriteAudit {
  const insert = db.prepare(
    `insert into audit_entries (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  return entry => {
    if (entry)
      insert.run(...columns.map(name => (name === 'store_ids' ? entry.store_ids.join(',') : entry[name])))
  }
}

export function createAudit(db: Database, writeAudit: WriteAudit): Audit {
  return {
    append: entry => db.write(() => writeAudit(entry)),
    list: query =>
      db.read(() => {
        const { limit, look } = query
        const looked = lookedAt(query)
        const matching = matchingOf(query)
        const rows = db
          .prepare<AuditRow>(
            `select ${columns.map(name => `entries.${name}`).join(', ')},
               accounts.email as account_email, apps.name as app_name
             from (select * from ${looked.sql}) as entries
             left join accounts on accounts.id = entries.account_id
             left join apps on apps.id = entries.app_id
             where ${matching.sql} order by entries.id desc limit ?`,
          )
          .all(...looked.values, ...matching.values, limit + 1)
        const lines = rows.slice(0, limit).map(toLine)
        if (rows.length > limit) return { lines, next: lines.at(-1)?.id ?? null }
        const end = db
          .prepare<{ count: number; last: string | null }>(
            `select count(*) as count, min(id) as last from (select id from ${looked.sql})`,
          )
          .get(...looked.values)
        return { lines, next: end?.count === look ? end.last : null }
      }),
  }
}

interface Condition {
  sql: string
  values: (string | number)[]
}

/** Conditions that an index serves. */
function lookedAt({ account_id, app_id, action, before, look }: AuditQuery): Condition {
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
    values: [...values, look],
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

const toLine = ({ store_ids, ...row }: AuditRow): AuditLine => ({
  ...row,
  store_ids: store_ids === '' ? [] : store_ids.split(',').map(BigInt),
})
