import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { latencyPercentile, latencyBucketOf, latencyBucketCount } from '../../src/lib/latency-buckets.ts'

function counted(durations: readonly number[]): number[] {
  const counts = Array.from({ length: latencyBucketCount }, () => 0)
  for (const duration of durations) (counts[latencyBucketOf(duration)] as number)++
  return counts
}

test('each duration has one bucket, and a longer duration has a later one', () => {
  assert.equal(latencyBucketOf(0), 0)
  assert.equal(latencyBucketOf(0.5), 0)
  assert.equal(latencyBucketOf(0.51), 1)
  assert.equal(latencyBucketOf(30_000), latencyBucketCount - 2)
  assert.equal(latencyBucketOf(30_001), latencyBucketCount - 1)
  assert.equal(latencyBucketOf(1e9), latencyBucketCount - 1)
})

test('without requests there is no percentile; beyond the last bound it is that bound', () => {
  assert.equal(latencyPercentile(counted([]), 0.5), null)
  assert.equal(latencyPercentile(counted([1e6, 1e7]), 0.99), 30_000)
})

test('a percentile is interpolated within its bucket', () => {
  assert.equal(latencyPercentile(counted([15, 15, 15, 15]), 0.5), 16)
  assert.equal(latencyPercentile(counted([0.1, 0.1, 15, 15]), 0.5), 0.5)
  assert.equal(latencyPercentile(counted(Array.from({ length: 100 }, () => 1.5)), 0.99), 1.99)
})

test('a percentile lies in the bucket of the exact one, and grows with its share', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 40_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 100 }),
      (durations, percent) => {
        const share = percent / 100
        const counts = counted(durations)
        const sorted = durations.toSorted((a, b) => a - b)
        const exact = sorted[Math.ceil((percent * sorted.length) / 100) - 1] as number
        const estimate = latencyPercentile(counts, share) as number
        // Beyond the last bound only that bound is known.
        assert.equal(latencyBucketOf(estimate), Math.min(latencyBucketOf(exact), latencyBucketCount - 2))
        assert.ok((latencyPercentile(counts, share / 2) as number) <= estimate)
      },
    ),
  )
})
