import type { IngestDelta, ReadDelta, ReadSums, Usage } from '../../port/index.ts'
import { allApps, usageWidths } from '../../port/index.ts'
import {
  afterAll,
  ingestColumns,
  latencyColumns,
  logColumns,
  type LogRow,
  readColumns,
  requestColumns,
  toLogged,
} from '../../shared/usage.ts'
import type { Database } from '../connection/database.ts'
import { partsByShard } from './parts.ts'
import { addSql } from './write.ts'

type RequestRow = Record<(typeof requestColumns)[number], number> & { key: string }

/**
 * The width `ever` has the bucket 0 alone. With a condition on it PostgreSQL would expect a single row and choose the index
 * by bucket, which has the rows of all stores. `planned` plans for the values, so one half of this is always gone.
 */
const inSpan = `($2::bigint = ${usageWidths.ever} or bucket between $3 and $4)`

export function createUsage(db: Database): Usage {
  return {
    parts: async batch => (db.citus ? partsByShard(batch) : [batch]),
    async add(part) {
      const [first, ...others] = addSql(part)
      if (!first) return
      if (others.length === 0) await db.query(...first)
      else await db.write(async tx => [first, ...others].forEach(statement => tx.send(...statement)))
    },
    async reads({ store_ids, width, from, to, app_id, by, together = false }) {
      const keys = together ? by : ['bucket', ...by]
      const grouped = [
        by.includes('store_id') ? 'store_id' : 'null::bigint as store_id',
        by.includes('app_id') ? 'app_id' : 'null::text as app_id',
      ]
      const rows = await db.planned<ReadSums>(
        `select ${together ? '$3::bigint as bucket' : 'bucket'}, ${grouped.join(', ')}, ${summed(readColumns)}, max(last_at) as last_at from usage_reads
         where store_id = any ($1::bigint[]) and width = $2 and ${inSpan} and ($5::text is null or app_id = $5)
         group by ${keys.join(', ')} order by ${keys.join(', ')}`,
        [store_ids, width, from, to, app_id],
      )
      return [...rows]
    },
    async activity({ store_ids, width, from, to, app_id, after, limit }) {
      const rows = await db.query<ReadDelta>(
        `select store_id, app_id, width, bucket, ${readColumns.join(', ')}, last_at from usage_reads
         where store_id = any ($1::bigint[]) and width = $2 and bucket between $3 and $4
           and ($5::text is null or app_id = $5)
           and ($6::bigint is null or (-bucket, store_id, app_id) > (-$6::bigint, $7::bigint, $8::text))
         order by bucket desc, store_id, app_id limit $9`,
        [
          store_ids,
          width,
          from,
          to,
          app_id,
          after?.bucket ?? null,
          after?.store_id ?? null,
          after?.app_id ?? null,
          limit,
        ],
      )
      return [...rows]
    },
    async requests({ app_id, width, from, to, by }) {
      const rows = await db.query<RequestRow>(
        `select ${by}::text as key, ${summed(requestColumns)} from usage_requests
         where width = $1 and bucket between $2 and $3 and app_id = $4
         group by ${by} order by usage_requests.${by}`,
        [width, from, to, app_id],
      )
      return rows.map(row => ({
        key: row.key,
        requests: row.requests,
        client_errors: row.client_errors,
        server_errors: row.server_errors,
        latencies: latencyColumns.map(name => row[name] as number),
      }))
    },
    async busiestApps({ width, from, to }, limit) {
      const rows = await db.query<{ app_id: string }>(
        `select app_id from usage_requests
         where width = $1 and bucket between $2 and $3 and app_id <> '${allApps}'
         group by app_id order by sum(requests) desc, app_id limit $4`,
        [width, from, to, limit],
      )
      return rows.map(({ app_id }) => app_id)
    },
    async ingest({ width, from, to }) {
      const rows = await db.query<IngestDelta>(
        `select width, bucket, ${ingestColumns.join(', ')}, last_at, lag_max, lag_last, newest_seq
         from usage_ingest where width = $1 and bucket between $2 and $3 order by bucket`,
        [width, from, to],
      )
      return [...rows]
    },
    async log({ app_id, errors_only, endpoint, before, limit }) {
      const { at_ms, request_id } = before ?? afterAll
      const rows = await db.query<LogRow>(
        `select ${logColumns} from request_log
         where app_id = $1 and (at_ms, request_id) < ($2::bigint, $3::text)
           and (not $4::boolean or status >= 400) and ($5::text is null or endpoint = $5)
         order by at_ms desc, request_id desc limit $6`,
        [app_id, at_ms, request_id, errors_only, endpoint, limit],
      )
      return rows.map(toLogged)
    },
    async logged(app_id, request_id) {
      const [row] = await db.query<LogRow>(
        `select ${logColumns} from request_log where app_id = $1 and request_id = $2
         order by at_ms desc limit 1`,
        [app_id, request_id],
      )
      return row ? toLogged(row) : null
    },
    async trimLog(app_id, keep) {
      await db.query(
        `delete from request_log where app_id = $1 and (at_ms, request_id) <= (
           select at_ms, request_id from request_log where app_id = $1
           order by at_ms desc, request_id desc limit 1 offset $2)`,
        [app_id, keep],
      )
    },
  }
}

const summed = (columns: readonly string[]): string =>
  columns.map(name => `sum(${name})::bigint as ${name}`).join(', ')
