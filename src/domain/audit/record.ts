import { formatDatetime } from '../../lib/datetime.ts'
import { rawNumber } from '../../lib/exact-json.ts'
import type { AuditLine } from '../../storage/port/index.ts'

/** A line of the audit log as JSON: the whole entry, times in UTC, exact int64. */
export const auditRecord = (line: AuditLine): string =>
  JSON.stringify({
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
    store_ids: line.store_ids.map(id => rawNumber(String(id))),
    detail: line.detail,
    address: line.address,
    request_id: line.request_id,
  })
