import type { Seconds } from '../../lib/clock.ts'
import type { AccessClaim, AccessFacts } from './authorizations.ts'

/** Whole buckets of one width, from the first second of the first to the first second of the last, both included. */
export interface BucketSpan {
  width: Seconds
  first: Seconds
  last: Seconds
}

export interface SalesQuery {
  store_id: bigint
  spans: readonly BucketSpan[]
  /** Stretches too short for a bucket, both ends included, summed from the orders themselves. */
  edges: readonly { from: Seconds; to: Seconds }[]
}

export interface SoldItem {
  item_id: bigint
  /** How many order lines stand behind the sum; an item with none is not listed. */
  lines: bigint
  units: bigint
  nanos: bigint
}

export interface Sales {
  /**
   * Sums by item, in any order; an item may come more than once. `sold` is null when the facts forbid the read, or
   * while the store's orders have the version `unless_version`.
   */
  sum(read: {
    claim: AccessClaim
    query: SalesQuery
    unless_version?: number | null
  }): Promise<{ facts: AccessFacts; sold: SoldItem[] | null }>
}
