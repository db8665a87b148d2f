import { mostListed, noRecords, type RecordCounts } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import type { PreparedRecord } from './prepared.ts'

/** What became of a record; a stale one carries the newer time that is stored. */
export type Effect = 'changed' | 'unchanged' | { stale: Seconds }

export interface StaleRecord {
  line: number
  kind: 'item' | 'order'
  id: bigint | string
  updated_at: Seconds
  stored_updated_at: Seconds
}

/** Counts what became of the records of a batch. */
export class Tally {
  readonly counts: RecordCounts = { ...noRecords }
  /** The first ones. */
  readonly stale: StaleRecord[] = []
  /** The newest updated_at of the changed orders. */
  newest: Seconds | null = null

  add({ line, kind, row }: PreparedRecord, effect: Effect): void {
    if (effect === 'unchanged') this.counts.unchanged++
    else if (effect === 'changed') {
      this.counts[`${kind}s`]++
      if (kind === 'order') this.newest = Math.max(this.newest ?? row.updated_at, row.updated_at)
    } else if (kind !== 'store') {
      this.counts.stale++
      if (this.stale.length === mostListed) return
      const { id, updated_at } = row
      this.stale.push({ line, kind, id, updated_at, stored_updated_at: effect.stale })
    }
  }
}
