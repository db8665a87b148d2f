import type { IngestDelta, ReadDelta, ReadSums, ReadsQuery, RequestsQuery, Usage } from '../../port/index.ts'
import { allApps } from '../../port/index.ts'
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
import { summedInParts } from './in-parts.ts'

type RequestRow = Record<(typeof requestColumns)[number], number> & { key: string | number }

/** The primary key, not the index that finds old buckets of all stores. */
const byStore = 'indexed by sqlite_autoindex_usage_reads_1'
/** `store_id` is in the JSON array ?1. */
const ofStores = 'store_id in (select value from json_each(?1))'

export function createUsage(db: Database): Usage {
  const addRead = db.prepare(
    `insert into usage_reads (store_id, width, bucket, app_id, ${readColumns.join(', ')}, last_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (store_id, width, bucket, app_id) do update set ${adding(readColumns)},
       last_at = max(last_at, excluded.last_at)`,
  )
  const addRequests = db.prepare(
    `insert into usage_requests (app_id, width, bucket, endpoint, ${requestColumns.join(', ')})
     values (?, ?, ?, ?, ${requestColumns.map(() => '?').join(', ')})
     on conflict (app_id, width, bucket, endpoint) do update set ${adding(requestColumns)}`,
  )
  const addIngest = db.prepare(
    `insert into usage_ingest (width, bucket, ${ingestColumns.join(', ')}, last_at, lag_max, lag_last, newest_seq)
     values (?, ?, ${ingestColumns.map(() => '?').join(', ')}, ?, ?, ?, ?)
     on conflict (width, bucket) do update set ${adding(ingestColumns)},
       last_at = max(last_at, excluded.last_at), lag_max = max(lag_max, excluded.lag_max),
       lag_last = coalesce(excluded.lag_last, lag_last),
       newest_seq = max(coalesce(newest_seq, excluded.newest_seq), coalesce(excluded.newest_seq, newest_seq))`,
  )
  const addLogged = db.prepare(
    `insert into request_log (${logColumns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  )

  const reads = cachedBy((keys: readonly ('bucket' | ReadsQuery['by'][number])[]) => {
    const grouped = (['store_id', 'app_id'] as const).map(name =>
      keys.includes(name) ? name : `null as ${name}`,
    )
    return db.prepare<ReadSums>(
      `select ${keys.includes('bucket') ? 'bucket' : '?3 as bucket'}, ${grouped.join(', ')}, ${summed(readColumns)}, max(last_at) as last_at from usage_reads ${byStore}
       where ${ofStores} and width = ?2 and bucket between ?3 and ?4 and (?5 is null or app_id = ?5)
       group by ${keys.join(', ')} order by ${keys.join(', ')}`,
      'bigint',
    )
  })
  const activity = db.prepare<ReadDelta>(
    `select store_id, app_id, width, bucket, ${readColumns.join(', ')}, last_at from usage_reads ${byStore}
     where ${ofStores} and width = ?2 and bucket between ?3 and ?4 and (?5 is null or app_id = ?5)
       and (?6 is null or (-bucket, store_id, app_id) > (-?6, ?7, ?8))
     order by bucket desc, store_id, app_id limit ?9`,
    'bigint',
  )
  const requests = cachedBy(([by]: readonly RequestsQuery['by'][]) =>
    db.prepare<RequestRow>(
      `select ${by} as key, ${summed(requestColumns)} from usage_requests
       where width = ? and bucket between ? and ? and app_id = ? group by ${by} order by ${by}`,
    ),
  )
  const requestsOfApps = db.prepare<[app_id: string, requests: number]>(
    `select app_id, sum(requests) from usage_requests where width = ? and bucket = ? and app_id <> '${allApps}'
     group by app_id`,
    'number',
    'tuples',
  )
  const ingest = db.prepare<IngestDelta>(
    `select width, bucket, ${ingestColumns.join(', ')}, last_at, lag_max, lag_last, newest_seq
     from usage_ingest where width = ? and bucket between ? and ? order by bucket`,
  )
  const log = db.prepare<LogRow>(
    `select ${logColumns} from request_log
     where app_id = ?1 and (at_ms, request_id) < (?2, ?3)
       and (?4 = 0 or status >= 400) and (?5 is null or endpoint = ?5)
     order by at_ms desc, request_id desc limit ?6`,
    'bigint',
  )
  const logged = db.prepare<LogRow>(
    `select ${logColumns} from request_log indexed by request_log_by_id
     where app_id = ? and request_id = ? order by at_ms desc limit 1`,
    'bigint',
  )
  const trimLog = db.prepare(
    `delete from request_log where app_id = ?1 and (at_ms, request_id) <= (
       select at_ms, request_id from request_log where app_id = ?1
       order by at_ms desc, request_id desc limit 1 offset ?2)`,
  )

  return {
    parts: async batch => [batch],
    add: batch =>
      db.write(() => {
        for (const row of batch.reads) {
          const { store_id, width, bucket, app_id, requests, orders, items, sales, last_at } = row
          addRead.run(store_id, width, bucket, app_id, requests, orders, items, sales, last_at)
        }
        for (const row of batch.requests) {
          const { app_id, width, bucket, endpoint, requests, client_errors, server_errors } = row
          const counts = [requests, client_errors, server_errors, ...row.latencies]
          addRequests.run(app_id, width, bucket, endpoint, ...counts)
        }
        for (const row of batch.ingest) {
          const counts = [row.requests, row.stores, row.items, row.orders, row.unchanged]
          const lags = [row.lagged, row.lag_sum, row.last_at, row.lag_max, row.lag_last]
          addIngest.run(row.width, row.bucket, ...counts, ...lags, row.newest_seq)
        }
        for (const row of batch.log) {
          const { app_id, at_ms, request_id, method, endpoint, status, error_code, store_id } = row
          const microseconds = Math.round(row.milliseconds * 1000)
          addLogged.run(
            app_id,
            at_ms,
            request_id,
            method,
            endpoint,
            status,
            error_code,
            microseconds,
            store_id,
            row.query,
            row.problem,
          )
        }
      }),
    reads: ({ store_ids, width, from, to, app_id, by, together = false }) =>
      summedInParts(store_ids, part =>
        db.snapshot(() =>
          reads(together ? by : ['bucket', ...by]).all(listed(part), width, from, to, app_id),
        ),
      ),
    activity: ({ store_ids, width, from, to, app_id, after, limit }) =>
      db.snapshot(() => {
        const place = [after?.bucket ?? null, after?.store_id ?? null, after?.app_id ?? null]
        return activity.all(listed(store_ids), width, from, to, app_id, ...place, limit)
      }),
    requests: ({ app_id, width, from, to, by }) =>
      db.snapshot(() => {
        const rows = requests([by]).all(width, from, to, app_id)
        return rows.map(row => ({
          key: String(row.key),
          requests: row.requests,
          client_errors: row.client_errors,
          server_errors: row.server_errors,
          latencies: latencyColumns.map(name => row[name] as number),
        }))
      }),
    async busiestApps({ width, from, to }, limit) {
      const sums = new Map<string, number>()
      // One bucket at a time: many apps are many rows, and the process answers nothing meanwhile.
      for (let bucket = from; bucket <= to; bucket += width) {
        for (const [app_id, count] of await db.snapshot(() => requestsOfApps.all(width, bucket)))
          sums.set(app_id, (sums.get(app_id) ?? 0) + count)
        await new Promise(setImmediate)
      }
      return [...sums]
        .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([app_id]) => app_id)
    },
    ingest: ({ width, from, to }) => db.snapshot(() => ingest.all(width, from, to)),
    log: ({ app_id, errors_only, endpoint, before, limit }) =>
      db.snapshot(() => {
        const { at_ms, request_id } = before ?? afterAll
        return log.all(app_id, at_ms, request_id, errors_only ? 1 : 0, endpoint, limit).map(toLogged)
      }),
    logged: (app_id, request_id) =>
      db.snapshot(() => {
        const row = logged.get(app_id, request_id)
        return row ? toLogged(row) : null
      }),
    trimLog: (app_id, keep) => db.write(() => void trimLog.run(app_id, keep)),
  }
}

const adding = (columns: readonly string[]): string =>
  columns.map(name => `${name} = ${name} + excluded.${name}`).join(', ')

const summed = (columns: readonly string[]): string =>
  columns.map(name => `sum(${name}) as ${name}`).join(', ')

/** A JSON array of digits, which keeps the ids exact. */
const listed = (store_ids: readonly bigint[]): string => `[${store_ids.join(',')}]`

/** One statement for each grouping, prepared when it is first used. */
function cachedBy<Name extends string, Made>(
  make: (by: readonly Name[]) => Made,
): (by: readonly Name[]) => Made {
  const cache = new Map<string, Made>()
  return by => {
    const key = by.join()
    const found = cache.get(key) ?? make(by)
    cache.set(key, found)
    return found
  }
}
