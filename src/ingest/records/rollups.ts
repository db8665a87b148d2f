import type { Seconds } from '../../lib/clock.ts'
import { type Sold, sumSold } from '../../lib/sold.ts'
import type { RollupDelta } from '../../storage/port/index.ts'
import { bucketOf, bucketWidths } from '../../domain/reading/sales-buckets.ts'

type Sums = Map<bigint, Sold>
/** By store, then by bucket. */
type Buckets = Map<bigint, Map<Seconds, Sums>>

const [narrowest, ...wider] = bucketWidths

/** Collects the sales that a batch adds and subtracts, and sums them by bucket. */
export class Rollups {
  /** The `sold` texts by store and bucket; those of one bucket are summed at once. */
  readonly #added = new Map<bigint, Map<Seconds, string[]>>()
  readonly #subtracted = new Map<bigint, Map<Seconds, string[]>>()

  add(store_id: bigint, created_at: Seconds, sold: string): void {
    if (sold !== '') textsOf(this.#added, store_id, created_at).push(sold)
  }

  subtract(store_id: bigint, created_at: Seconds, sold: string): void {
    if (sold !== '') textsOf(this.#subtracted, store_id, created_at).push(sold)
  }

  /** One for each store, width, bucket and item that changed. */
  deltas(): RollupDelta[] {
    const buckets: Buckets = new Map()
    for (const { store_id, bucket, sold } of entries(this.#added)) addTo(buckets, store_id, bucket, sold, 1n)
    for (const { store_id, bucket, sold } of entries(this.#subtracted))
      addTo(buckets, store_id, bucket, sold, -1n)
    const deltas = flatten(buckets, narrowest)
    let level = deltas
    for (const width of wider) {
      const folded: Buckets = new Map()
      for (const delta of level) addTo(folded, delta.store_id, bucketOf(delta.bucket, width), [delta], 1n)
      level = flatten(folded, width)
      deltas.push(...level)
    }
    return deltas
  }
}

function textsOf(map: Map<bigint, Map<Seconds, string[]>>, store_id: bigint, created_at: Seconds): string[] {
  return within(
    within(map, store_id, () => new Map<Seconds, string[]>()),
    bucketOf(created_at, narrowest),
    () => [],
  )
}

function* entries(map: Map<bigint, Map<Seconds, string[]>>) {
  for (const [store_id, buckets] of map) {
    for (const [bucket, texts] of buckets) yield { store_id, bucket, sold: sumSold(texts.join(';')) }
  }
}

function addTo(
  buckets: Buckets,
  store_id: bigint,
  bucket: Seconds,
  sold: readonly Sold[],
  sign: 1n | -1n,
): void {
  const sums = within(
    within(buckets, store_id, () => new Map<Seconds, Sums>()),
    bucket,
    () => new Map<bigint, Sold>(),
  )
  for (const { item_id, lines, units, nanos } of sold) {
    const sum = within(sums, item_id, () => ({ item_id, lines: 0n, units: 0n, nanos: 0n }))
    sum.lines += sign * lines
    sum.units += sign * units
    sum.nanos += sign * nanos
  }
}

/** Without the sums that are zero. */
function flatten(buckets: Buckets, width: Seconds): RollupDelta[] {
  const deltas: RollupDelta[] = []
  for (const [store_id, byBucket] of buckets) {
    for (const [bucket, sums] of byBucket) {
      for (const { item_id, lines, units, nanos } of sums.values()) {
        if (lines === 0n && units === 0n && nanos === 0n) continue
        deltas.push({ store_id, width, bucket, item_id, lines, units, nanos })
      }
    }
  }
  return deltas
}

function within<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = create()
    map.set(key, value)
  }
  return value
}
