import type { AuditEntry, AuditLine } from '../port/index.ts'

export type AuditRow = Omit<AuditLine, 'store_ids'> & { store_ids: string }

export const auditColumns = [
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

/** In the order of the columns. */
export const auditValues = (entry: AuditEntry): (string | number | null)[] =>
  auditColumns.map(name => (name === 'store_ids' ? entry.store_ids.join(',') : entry[name]))

export const toAuditLine = ({ store_ids, ...row }: AuditRow): AuditLine => ({
  ...row,
  store_ids: store_ids === '' ? [] : store_ids.split(',').map(BigInt),
})
