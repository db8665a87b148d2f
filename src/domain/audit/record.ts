import { formatDatetime } from '../../lib/datetime.ts'
import { rawNumber } from '../../lib/exact-json.ts'
import type { AuditLine } from '../../storage/port/index.ts'

/** A line of the audit log as JSON: the whole entry, times in UTC, exact int64. */
export const auditRecord = (line: AuditLine): string =>
  JSON.stringify({ ...fieldsOf(line), store_ids: line.store_ids.map(id => rawNumber(String(id))) })

/** The same as the cells of a table, and the head of each. */
export const auditCells = (line: AuditLine): (string | null)[] =>
  Object.values({ ...fieldsOf(line), store_ids: line.store_ids.join(' ') })

export const auditColumns = [
  'id',
  'at',
  'action',
  'actor_kind',
  'actor_id',
  'actor_name',
  'account_id',
  'account_email',
  'app_id',
  'app_name',
  'store_ids',
  'detail',
  'address',
  'request_id',
]

/** In the order of the columns. */
const fieldsOf = (line: AuditLine) => ({
  id: line.id,
  at: formatDatetime(line.at),
  action: line.action,
  actor_kind: line.actor_kind,
  actor_id: line.actor_id,
  actor_name: line.actor_name,
  account_id: line.account_id,
  account_email: line.account_email,
  app_id: line.app_id,
  app_name: line.app_name,
  store_ids: '',
  detail: line.detail,
  address: line.address,
  request_id: line.request_id,
})
