import type { Audit, AuditEntry, AuditLine, AuditQuery } from '../port.ts'
import type { Database } from './database.ts'

type AuditRow = Omit<AuditLine, 'store_ids'> & { store_ids: string }

/** Writes an entry into the transaction that is open; none when there is nothing to tell. */
export type Tell = (entry: AuditEntry | undefined) => void

const columns = [
  ...['id', 'at', 'action', 'actor_kind', 'actor_id', 'actor_name', 'account_id', 'app_id'],
  ...['store_ids', 'detail', 'address', 'request_id'],
] as const

export function createTell(db: Database): Tell {
  const insert = db.prepare(
    `insert into audit_entries (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  return entry => {
    if (entry)
      insert.run(...columns.map(name => (name === 'store_ids' ? entry.store_ids.join(',') : entry[name])))
  }
}

export function createAudit(db: Database, tell: Tell): Audit {
  return {
    append: entry => db.write(() => tell(entry)),
    list: query =>
      db.read(() => {
        const { where, values } = conditions(query)
        return db
          .prepare<AuditRow>(
            `select ${columns.map(name => `entries.${name}`).join(', ')},
               accounts.email as account_email, apps.name as app_name
             from audit_entries as entries
             left join accounts on accounts.id = entries.account_id
             left join apps on apps.id = entries.app_id
             where ${where.join(' and ')} order by entries.id desc limit ?`,
          )
          .all(...values, query.limit)
          .map(toLine)
      }),
  }
}

function conditions({ account_id, app_id, action, search = '', before }: AuditQuery) {
  const where = ['true']
  const values: string[] = []
  const add = (condition: string, ...given: string[]) => {
    where.push(condition)
    values.push(...given)
  }
  if (account_id !== undefined) add('(actor_id = ? or account_id = ?)', account_id, account_id)
  if (app_id !== undefined) add('entries.app_id = ?', app_id)
  if (action !== undefined) add('action = ?', action)
  if (before !== undefined) add('entries.id < ?', before)
  if (search !== '') {
    add(
      `(instr(lower(actor_name), lower(?)) > 0 or instr(lower(accounts.email), lower(?)) > 0
        or ? in (entries.app_id, address, request_id))`,
      ...[search, search, search],
    )
  }
  return { where, values }
}

const toLine = ({ store_ids, ...row }: AuditRow): AuditLine => ({
  ...row,
  store_ids: store_ids === '' ? [] : store_ids.split(',').map(BigInt),
})
