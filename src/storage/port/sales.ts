import type { Seconds } from '../../lib/clock.ts'
import type { Sold } from '../../lib/sold.ts'
import type { AccessFacts, ReadClaim } from './authorizations.ts'

/** Whole buckets of one width, each named by its first second; `first` and `last` are included. */
export interface BucketSpan {
  width: Seconds
  first: Seconds
  last: Seconds
}

export interface SalesQuery {
  store_id: bigint
  spans: readonly BucketSpan[]
  /** Parts of the window that fill no bucket, both ends included; they are summed from the orders. */
  edges: readonly { from: Seconds; to: Seconds }[]
}

export interface Sales {
  /**
   * Sums by item, in any order; an item may come more than once. `sold` is null when the facts forbid the read, or
   * while the store's orders have the version `unless_version`.
   */
  sum(read: {
    claim: ReadClaim
    query: SalesQuery
    unless_version?: number | null
  }): Promise<{ facts: AccessFacts; sold: Sold[] | null }>
}
