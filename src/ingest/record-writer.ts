import type { RecordCounts } from '../contract/record.ts'
import { type Clock, type Seconds, systemClock } from '../lib/clock.ts'
import type { Line } from '../lib/lines.ts'
import type { Storage, StoreRow } from '../storage/port/index.ts'
import { auditEntry, type By, byServer } from '../domain/audit/audit.ts'
import { decide, keysOf } from './records/decide.ts'
import { ProblemList } from './records/problem-list.ts'
import { detailOf, type Problem } from './records/problems.ts'
import { createRecordReader, type PreparedRecord } from './records/read.ts'

export interface RecordWriter {
  /** Stores the records of all lines in one transaction; a bad line rejects all with record_invalid. */
  write(lines: readonly { line: number; text: string }[], by?: By): Promise<RecordCounts>
  /** The same for lines that arrive one by one. `by` is the sender. */
  batch(by?: By): Batch
}

interface Batch {
  /** Checks a line and keeps its record or its problems. Blank lines are ignored. */
  add(line: Line): void
  /** Records added, valid and invalid. */
  readonly records: number
  readonly problems: ProblemList
  /** The newest updated_at of the stored orders; null before the commit, and without orders. */
  readonly newest: Seconds | null
  /** Null when a line is bad: nothing is stored, and `problems` has the reasons. */
  commit(): Promise<RecordCounts | null>
}

export function createRecordWriter({
  storage,
  clock = systemClock,
}: {
  storage: Storage
  clock?: Clock
}): RecordWriter {
  const reader = createRecordReader()

  function batch(by: By = byServer): Batch {
    const records: PreparedRecord[] = []
    const problems = new ProblemList()
    let bad = 0
    let newest: Seconds | null = null

    const report = (line: number, problem: Problem): void => problems.add(detailOf(line, problem))

    return {
      problems,
      get newest() {
        return newest
      },
      get records() {
        return records.length + bad
      },
      add(line) {
        const read = reader.readLine(line)
        if (read === null) return
        if (Array.isArray(read)) {
          bad++
          for (const problem of read) report(line.line, problem)
        } else records.push(read)
      },
      async commit() {
        const keys = keysOf(records)
        // With a bad line nothing is written, but the stores are still read to report lines whose store is missing.
        const wanted = problems.total > 0 ? { ...keys, items: [], orders: [] } : keys
        const written = storage.records.write(wanted, existing => {
          const decision = decide(records, existing)
          for (const { line, store_id } of decision.missing_store) {
            report(line, {
              field: 'store_id',
              rule: 'store_unknown',
              reason: `is ${store_id}; it must be a store that exists or comes in an earlier line`,
            })
          }
          if (problems.total > 0) throw new Rollback()
          const audit = movedStores(existing.stores, decision.stores).map(({ id, detail }) =>
            auditEntry(clock, by, 'store_moved', { store_ids: [id], detail }),
          )
          return { ...decision, least_version: clock.now() * 1000, audit }
        })
        const decision = await written.catch(nullAfterRollback)
        if (!decision) return null
        for (const { row } of decision.orders) newest = Math.max(newest ?? row.updated_at, row.updated_at)
        return decision.counts
      },
    }
  }

  return {
    batch,
    async write(lines, by) {
      const all = batch(by)
      for (const line of lines) all.add(line)
      const counts = await all.commit()
      if (!counts) throw all.problems.toError()
      return counts
    },
  }
}

/** Thrown to roll the transaction back. */
class Rollback extends Error {}

function nullAfterRollback(error: unknown): null {
  if (error instanceof Rollback) return null
  throw error
}

/** The stores that change their merchant, whose authorizations end with that. */
function movedStores(
  before: readonly StoreRow[],
  after: readonly StoreRow[],
): { id: bigint; detail: string }[] {
  const owners = new Map(before.map(({ id, merchant }) => [id, merchant]))
  return after.flatMap(({ id, merchant }) => {
    const owner = owners.get(id) ?? null
    return owner === null || owner === merchant
      ? []
      : [{ id, detail: `from ${owner} to ${merchant ?? 'nobody'}` }]
  })
}
