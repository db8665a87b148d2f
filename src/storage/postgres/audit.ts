import type { Audit, AuditEntry, AuditLine, AuditQuery } from '../port.ts'
import { contains } from './browse.ts'
import type { Database } from './database.ts'
import type { Transaction } from './transaction.ts'
import type { Value } from './values.ts'

type AuditRow = Omit<AuditLine, 'store_ids'> & { store_ids: string }

const columns = [
  ...['id', 'at', 'action', 'actor_kind', 'actor_id', 'actor_name', 'account_id', 'app_id'],
  ...['store_ids', 'detail', 'address', 'request_id'],
] as const
const insert = `insert into audit_entries (${columns.join(', ')})
  values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`

const valuesOf = (entry: AuditEntry): Value[] =>
  columns.map(name => (name === 'store_ids' ? entry.store_ids.join(',') : entry[name]))

/** Writes an entry into the transaction; none when there is nothing to tell. */
export function tell(tx: Transaction, entry: AuditEntry | undefined): void {
  if (entry) tx.send(insert, valuesOf(entry))
}

export function createAudit(db: Database): Audit {
  return {
    async append(entry) {
      await db.query(insert, valuesOf(entry))
    },
    async list(query) {
      const { where, values } = conditions(query)
      const rows = await db.query<AuditRow>(
        `select ${columns.map(name => `entries.${name}`).join(', ')},
           accounts.email as account_email, apps.name as app_name
         from audit_entries as entries
         left join accounts on accounts.id = entries.account_id
         left join apps on apps.id = entries.app_id
         where ${where.join(' and ')} order by entries.id desc limit $1`,
        values,
      )
      return rows.map(toLine)
    },
  }
}

function conditions({ account_id, app_id, action, search = '', before, limit }: AuditQuery) {
  const where = ['true']
  const values: Value[] = [limit]
  const add = (condition: (parameter: string) => string, value: string) => {
    values.push(value)
    where.push(condition(`$${values.length}::text`))
  }
  if (account_id !== undefined) add(at => `(actor_id = ${at} or account_id = ${at})`, account_id)
  if (app_id !== undefined) add(at => `entries.app_id = ${at}`, app_id)
  if (action !== undefined) add(at => `action = ${at}`, action)
  if (before !== undefined) add(at => `entries.id < ${at}`, before)
  if (search !== '') {
    add(
      at => `(${contains('actor_name', at)} or ${contains('accounts.email', at)}
        or ${at} in (entries.app_id, address, request_id))`,
      search,
    )
  }
  return { where, values }
}

const toLine = ({ store_ids, ...row }: AuditRow): AuditLine => ({
  ...row,
  store_ids: store_ids === '' ? [] : store_ids.split(',').map(BigInt),
})
