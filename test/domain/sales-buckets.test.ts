import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketOf, bucketWidths, cover } from '../../src/domain/reading/sales-buckets.ts'

const day = 86_400

/** Seconds near the borders of buckets, before 1970 too. */
const second = fc.oneof(
  fc.integer({ min: -100 * day, max: 100 * day }),
  fc
    .tuple(fc.constantFrom(...bucketWidths), fc.integer({ min: -4, max: 4 }), fc.integer({ min: -2, max: 2 }))
    .map(([width, buckets, beside]) => width * buckets + beside),
)

/** The pieces as stretches of seconds, by their start. */
function stretches(from: number, to: number): { from: number; to: number }[] {
  const { spans, edges } = cover(from, to)
  const whole = spans.map(({ width, first, last }) => ({ from: first, to: last + width - 1 }))
  return [...whole, ...edges].sort((a, b) => a.from - b.from)
}

test('sales: each width is a multiple of the one before', () => {
  for (const [index, width] of bucketWidths.slice(1).entries()) {
    assert.equal(width % (bucketWidths[index] ?? 0), 0)
  }
})

test('sales: a window is cut into pieces that do not overlap and leave nothing out', () => {
  fc.assert(
    fc.property(second, second, (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      let next = from
      for (const piece of stretches(from, to)) {
        assert.equal(piece.from, next)
        assert.ok(piece.to >= piece.from)
        next = piece.to + 1
      }
      assert.equal(next, to + 1)
    }),
    { numRuns: 2000 },
  )
})

test('sales: spans begin and end on buckets, and the edges are shorter than the narrowest', () => {
  fc.assert(
    fc.property(second, second, (a, b) => {
      const { spans, edges } = cover(Math.min(a, b), Math.max(a, b))
      for (const { width, first, last } of spans) {
        assert.equal(Math.abs(first % width), 0)
        assert.equal(Math.abs(last % width), 0)
        assert.ok(last >= first)
      }
      // Less than one bucket at each end, or one stretch across a border that fills neither side.
      assert.ok(edges.length <= 2)
      for (const { from, to } of edges) assert.ok(to - from + 1 < 2 * bucketWidths[0])
      assert.ok(spans.length <= 2 * bucketWidths.length - 1)
    }),
    { numRuns: 2000 },
  )
})

test('sales: a year is a handful of pieces', () => {
  const { spans, edges } = cover(
    Date.UTC(2026, 0, 1, 0, 30) / 1000,
    Date.UTC(2026, 11, 31, 23, 59, 58) / 1000,
  )
  assert.ok(spans.length + edges.length <= 7)
})

test('sales: a window of one second, and one that ends before it begins', () => {
  assert.deepEqual(cover(5, 5), { spans: [], edges: [{ from: 5, to: 5 }] })
  assert.deepEqual(cover(5, 4), { spans: [], edges: [] })
})

test('sales: the bucket of a second before 1970 lies before it', () => {
  assert.equal(bucketOf(-1, 3600), -3600)
  assert.equal(bucketOf(-3600, 3600), -3600)
  assert.equal(bucketOf(3599, 3600), 0)
})
