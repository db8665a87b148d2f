import type { UsageBatch } from '../../port/index.ts'

/**
 * Parts that Citus keeps on one shard each: the reads of a store, and the requests and log lines of an app. Written
 * together, they would be one two-phase commit over all workers. Ingest has one shard for hours and one for days.
 */
export function partsByShard({ reads, requests, ingest, log }: UsageBatch): UsageBatch[] {
  const requestsOf = Map.groupBy(requests, row => row.app_id)
  const logOf = Map.groupBy(log, row => row.app_id)
  const apps = new Set([...requestsOf.keys(), ...logOf.keys()])
  return [
    ...[...Map.groupBy(reads, row => row.store_id).values()].map(rows => ({ ...nothing, reads: rows })),
    ...[...apps].map(app => ({
      ...nothing,
      requests: requestsOf.get(app) ?? [],
      log: logOf.get(app) ?? [],
    })),
    ...(ingest.length > 0 ? [{ ...nothing, ingest }] : []),
  ]
}

const nothing: UsageBatch = { reads: [], requests: [], ingest: [], log: [] }
