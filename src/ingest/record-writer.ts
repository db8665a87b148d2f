import type { RecordCounts, RecordWarning } from '../contract/record.ts'
import { type Clock, type Seconds, systemClock } from '../lib/clock.ts'
import { leastSeq } from '../lib/seq.ts'
import type { Line } from '../lib/lines.ts'
import type {
  ExistingRows,
  RecordChanges,
  RecordPart,
  SequenceMove,
  Storage,
  StoreRow,
} from '../storage/port/index.ts'
import { auditEntry, type By, byServer } from '../domain/audit/audit.ts'
import { type BufferPart, type Position, RecordBuffer } from './record-buffer.ts'
import { decide, keysOf } from './records/decide.ts'
import { MerchantCheck } from './records/merchant-check.ts'
import { ProblemList } from './records/problem-list.ts'
import { detailOf, type Problem } from './records/problems.ts'
import { createRecordReader } from './records/read.ts'
import { StoreReferences } from './records/store-references.ts'
import { type StaleRecord, Tally } from './records/tally.ts'
import { futureProblems } from './records/updated-at.ts'

export interface RecordWriter {
  /** Stores the records of all lines in one transaction; a bad line rejects all with record_invalid. */
  write(lines: readonly { line: number; text: string }[], by?: By): Promise<RecordCounts>
  /** The same for lines that arrive one by one. `now` is the time of the batch when it is not the writer's own. */
  batch(by?: By, now?: Seconds): Batch
}

export interface Written {
  counts: RecordCounts
  /** The first of the stale records. */
  stale: readonly StaleRecord[]
  warnings: readonly RecordWarning[]
  /** The newest updated_at of the stored orders; null without orders. */
  newest: Seconds | null
  /** The stores whose sequence has moved. */
  moves: readonly SequenceMove[]
}

interface Batch {
  /** Checks a line and keeps its record or its problems. Blank lines are ignored. */
  add(line: Line): void
  /** Records added, valid and invalid. */
  readonly records: number
  /** Bytes that the valid records take in memory. */
  readonly size: number
  readonly problems: ProblemList
  /** Null when a line is bad: nothing is stored, and `problems` has the reasons. */
  commit(): Promise<Written | null>
  /** Frees its memory. */
  clear(): void
}

export function createRecordWriter({
  storage,
  clock = systemClock,
}: {
  storage: Storage
  clock?: Clock
}): RecordWriter {
  const reader = createRecordReader()

  function batch(by: By = byServer, now: Seconds = clock.now()): Batch {
    const records = new RecordBuffer()
    const problems = new ProblemList()
    const stores = new StoreReferences()
    const merchants = new MerchantCheck(storage)
    let bad = 0

    const report = (line: number, problem: Problem): void => problems.add(detailOf(line, problem))

    function changesOf(
      { records: part, next }: BufferPart,
      existing: ExistingRows,
      tally: Tally,
    ): RecordChanges {
      const changes = decide(part, existing, now, tally)
      const audit = movedStores(existing.stores, changes.stores).map(({ id, detail }) =>
        auditEntry(clock, by, 'store_moved', { store_ids: [id], detail }),
      )
      return { ...changes, least_seq: leastSeq(clock.now()), audit, next: next && partAt(next, tally) }
    }

    function partAt(position: Position, tally: Tally): RecordPart {
      const part = records.part(position)
      return { keys: keysOf(part.records), decide: existing => changesOf(part, existing, tally) }
    }

    function reportMissing(stored: ReadonlySet<bigint>): void {
      for (const { line, store_id } of stores.missing(stored)) {
        report(line, {
          field: 'store_id',
          rule: 'store_unknown',
          reason: `is ${store_id}; it must be a store that exists or comes in an earlier line`,
        })
      }
    }

    async function write(): Promise<{ tally: Tally; moves: readonly SequenceMove[] }> {
      // With a bad line nothing is written, but the stores are still read to report lines whose store is missing.
      const first = problems.total > 0 ? noPart : records.part()
      const keys = { ...keysOf(first.records), locked: stores.ids, new_store_ids: stores.added }
      const { changes, moves } = await storage.records.write(keys, (existing, stored) => {
        reportMissing(stored)
        if (problems.total > 0) throw new Rollback()
        const tally = new Tally()
        return { ...changesOf(first, existing, tally), tally }
      })
      return { tally: changes.tally, moves }
    }

    return {
      problems,
      get records() {
        return records.count + bad
      },
      get size() {
        return records.size
      },
      add(line) {
        const read = reader.readLine(line)
        if (read === null) return
        const found = Array.isArray(read) ? read : futureProblems(read, now)
        if (Array.isArray(read) || found.length > 0) {
          bad++
          for (const problem of found) report(line.line, problem)
          return
        }
        stores.add(read)
        merchants.add(read)
        records.add(read)
      },
      async commit() {
        // Before the commit, so that no answer fails after it.
        const warnings = problems.total > 0 ? [] : await merchants.warnings()
        const written = await write().catch(nullAfterRollback)
        if (written === null) return null
        const { tally, moves } = written
        return { counts: tally.counts, stale: tally.stale, warnings, newest: tally.newest, moves }
      },
      clear: () => records.clear(),
    }
  }

  return {
    batch,
    async write(lines, by) {
      const all = batch(by)
      try {
        for (const line of lines) all.add(line)
        const written = await all.commit()
        if (!written) throw all.problems.toError()
        return written.counts
      } finally {
        all.clear()
      }
    },
  }
}

const noPart: BufferPart = { records: [], next: null }

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
