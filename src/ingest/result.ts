import type { RecordCounts, RecordWarning } from '../contract/record.ts'
import { formatDatetime } from '../lib/datetime.ts'
import { rawNumber } from '../lib/exact-json.ts'
import type { Written } from './record-writer.ts'

/** The answer to a batch, for `JSON.stringify`: the counts, and the lists that are not empty. */
export function resultOf({
  counts,
  stale,
  warnings,
}: Pick<Written, 'counts' | 'stale' | 'warnings'>): Result {
  const stale_records = stale.map(({ id, updated_at, stored_updated_at, ...record }) => ({
    ...record,
    // The digits of an int64 are exact.
    id: typeof id === 'bigint' ? rawNumber(String(id)) : id,
    updated_at: formatDatetime(updated_at),
    stored_updated_at: formatDatetime(stored_updated_at),
  }))
  return {
    ...counts,
    ...(stale_records.length > 0 && { stale_records }),
    ...(warnings.length > 0 && { warnings }),
  }
}

type Result = RecordCounts & { stale_records?: readonly object[]; warnings?: readonly RecordWarning[] }
