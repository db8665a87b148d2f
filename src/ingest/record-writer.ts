import type { RecordCounts } from '../contract/record.ts'
import { type Clock, type Seconds, systemClock } from '../lib/clock.ts'
import type { Line } from '../lib/lines.ts'
import type { Storage, StoreRow } from '../storage/port/index.ts'
import { auditEntry, type By, byServer } from '../domain/audit/audit.ts'
import { decide, keysOf } from './records/decide.ts'
import { ProblemList } from './records/problem-list.ts'
import { detailOf, type Problem } from './records/problems.ts'
import { createRecordReader, type Prepared } from './records/read.ts'

export interface RecordWriter {
  /** One transaction: all of the lines' records, or, when a single one is bad, none and record_invalid. */
  write(lines: readonly { line: number; text: string }[], by?: By): Promise<RecordCounts>
  /** The same for lines that arrive one by one. `by`: who sends them. */
  batch(by?: By): Batch
}

interface Batch {
  /** Checks a line and keeps its record, ready to be stored, or what is wrong with it. Blank lines are none. */
  take(line: Line): void
  /** Records taken, good and bad. */
  readonly records: number
  readonly problems: ProblemList
  /** The newest updated_at of the orders that it stored; null before, and when there were none. */
  readonly newest: Seconds | null
  /** Null when a line is bad: then nothing is stored, and `problems` says why. */
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
    const records: Prepared[] = []
    const problems = new ProblemList()
    let bad = 0
    let newest: Seconds | null = null

    const refuse = (line: number, problem: Problem): void => problems.add(detailOf(line, problem))

    return {
      problems,
      get newest() {
        return newest
      },
      get records() {
        return records.length + bad
      },
      take(line) {
        const read = reader.take(line)
        if (read === null) return
        if (Array.isArray(read)) {
          bad++
          for (const problem of read) refuse(line.line, problem)
        } else records.push(read)
      },
      async commit() {
        const keys = keysOf(records)
        // With a bad line nothing will be written; but the stores say which other lines are bad too.
        const asked = problems.total > 0 ? { ...keys, items: [], orders: [] } : keys
        const written = storage.records.write(asked, existing => {
          const decision = decide(records, existing)
          for (const { line, store_id } of decision.homeless) {
            refuse(line, {
              field: 'store_id',
              rule: 'store_unknown',
              says: `is ${store_id}; it must be a store that exists or comes in an earlier line`,
            })
          }
          if (problems.total > 0) throw new Refusal()
          const audit = moved(existing.stores, decision.stores).map(({ id, detail }) =>
            auditEntry(clock, by, 'store_moved', { store_ids: [id], detail }),
          )
          return { ...decision, least_version: clock.now() * 1000, audit }
        })
        const decision = await written.catch(nullIfRefused)
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
      for (const line of lines) all.take(line)
      const counts = await all.commit()
      if (!counts) throw all.problems.toError()
      return counts
    },
  }
}

/** Thrown so that nothing is written. */
class Refusal extends Error {}

function nullIfRefused(error: unknown): null {
  if (error instanceof Refusal) return null
  throw error
}

/** The stores that get another merchant, and so lose what the one before allowed. */
function moved(before: readonly StoreRow[], after: readonly StoreRow[]): { id: bigint; detail: string }[] {
  const owners = new Map(before.map(({ id, merchant }) => [id, merchant]))
  return after.flatMap(({ id, merchant }) => {
    const owner = owners.get(id) ?? null
    return owner === null || owner === merchant
      ? []
      : [{ id, detail: `from ${owner} to ${merchant ?? 'nobody'}` }]
  })
}
