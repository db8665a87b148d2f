import type { IngestDelta, ReadDelta, RequestDelta, UsageBatch } from '../../port/index.ts'
import { ingestColumns, logColumns, readColumns, requestColumns } from '../../shared/usage.ts'
import type { Value } from '../connection/values.ts'

type Statement = readonly [sql: string, values: readonly Value[]]

/**
 * Every statement writes its rows in the order of their key, and the statements have a fixed order, so that processes
 * that add to the same counters never deadlock.
 */
export const addSql = ({ reads, requests, ingest, log }: UsageBatch): Statement[] => [
  ...addReads(reads),
  ...addRequests(requests),
  ...addIngest(ingest),
  ...addLog(log),
]

function addReads(rows: readonly ReadDelta[]): Statement[] {
  const key = ['store_id', 'width', 'bucket', 'app_id']
  const columns = [...key, ...readColumns, 'last_at'] as (keyof ReadDelta)[]
  return insert(
    'usage_reads',
    key,
    columns,
    rows.map(row => columns.map(name => row[name])),
    [
      ...readColumns.map(name => adding('usage_reads', name)),
      'last_at = greatest(usage_reads.last_at, excluded.last_at)',
    ],
  )
}

function addRequests(rows: readonly RequestDelta[]): Statement[] {
  const key = ['app_id', 'width', 'bucket', 'endpoint'] as const
  const values = rows.map(row => [
    ...key.map(name => row[name]),
    row.requests,
    row.client_errors,
    row.server_errors,
    ...row.latencies,
  ])
  const adds = requestColumns.map(name => adding('usage_requests', name))
  return insert('usage_requests', key, [...key, ...requestColumns], values, adds)
}

function addIngest(rows: readonly IngestDelta[]): Statement[] {
  const key = ['width', 'bucket'] as const
  const columns = [...key, ...ingestColumns, 'last_at', 'lag_max', 'lag_last', 'newest_seq'] as const
  return insert(
    'usage_ingest',
    key,
    columns,
    rows.map(row => columns.map(name => row[name])),
    [
      ...ingestColumns.map(name => adding('usage_ingest', name)),
      'last_at = greatest(usage_ingest.last_at, excluded.last_at)',
      'lag_max = greatest(usage_ingest.lag_max, excluded.lag_max)',
      'lag_last = coalesce(excluded.lag_last, usage_ingest.lag_last)',
      'newest_seq = greatest(usage_ingest.newest_seq, excluded.newest_seq)',
    ],
  )
}

function addLog(rows: UsageBatch['log']): Statement[] {
  const values = rows.map(row => [
    row.app_id,
    row.at_ms,
    row.request_id,
    row.method,
    row.endpoint,
    row.status,
    row.error_code,
    Math.round(row.milliseconds * 1e3),
    row.store_id,
    row.query,
    row.problem,
  ])
  return insert('request_log', ['app_id', 'at_ms', 'request_id'], logColumns.split(', '), values, [])
}

const texts = ['app_id', 'endpoint', 'request_id', 'method', 'error_code', 'query', 'problem']

type Cell = string | number | bigint | null

/** As many rows as are given one by one, so that Citus sends the statement straight to their shard; more as lists. */
const fewRows = 6

/** The first columns are the `key`. `changes` update an existing row; without any, it stays unchanged. */
function insert(
  table: string,
  key: readonly string[],
  columns: readonly string[],
  rows: readonly Cell[][],
  changes: readonly string[],
): Statement[] {
  if (rows.length === 0) return []
  const { sql, values } =
    rows.length <= fewRows ? oneByOne(rows.toSorted(byKey(key.length))) : asLists(key, columns, rows)
  const conflict = changes.length === 0 ? 'nothing' : `update set ${changes.join(', ')}`
  return [
    [
      `insert into ${table} (${columns.join(', ')}) ${sql} on conflict (${key.join(', ')}) do ${conflict}`,
      values,
    ],
  ]
}

function oneByOne(rows: readonly Cell[][]): { sql: string; values: Value[] } {
  const values: Value[] = []
  const lines = rows.map(row => `(${row.map(cell => `$${values.push(cell)}`).join(', ')})`)
  return { sql: `values ${lines.join(', ')}`, values }
}

function asLists(
  key: readonly string[],
  columns: readonly string[],
  rows: readonly Cell[][],
): { sql: string; values: Value[] } {
  const names = columns.join(', ')
  const lists = columns.map((name, i) => `$${i + 1}::${texts.includes(name) ? 'text' : 'bigint'}[]`)
  return {
    sql: `select ${names} from unnest(${lists.join(', ')}) as given (${names}) order by ${key.join(', ')}`,
    values: columns.map((_, i) => rows.map(row => row[i] ?? null)),
  }
}

const byKey =
  (length: number) =>
  (one: readonly Cell[], other: readonly Cell[]): number => {
    for (let i = 0; i < length; i++) {
      const [a, b] = [one[i] ?? 0, other[i] ?? 0]
      if (a !== b) return a < b ? -1 : 1
    }
    return 0
  }

const adding = (table: string, name: string): string => `${name} = ${table}.${name} + excluded.${name}`
