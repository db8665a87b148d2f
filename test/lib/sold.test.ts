import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeSold, encodeSold, type Sold, sumSold } from '../../src/lib/sold.ts'

test('sold items survive their text, over the whole of int64', () => {
  const items = [
    { item_id: 12n, lines: 1n, units: 2n, nanos: 0n },
    { item_id: -(2n ** 63n), lines: 3n, units: 2n ** 63n - 1n, nanos: -355_000_000n },
  ]
  assert.equal(encodeSold(items.slice(0, 1)), '12:1:2:0')
  assert.deepEqual(decodeSold(encodeSold(items)), items)
})

test('no items are the empty text', () => {
  assert.equal(encodeSold([]), '')
  assert.deepEqual(decodeSold(''), [])
})

test('texts joined by ; are the text of all their items', () => {
  const joined = decodeSold('12:1:2:0;15:1:0:355000000;12:2:5:0')
  assert.deepEqual(
    joined.map(({ item_id }) => item_id),
    [12n, 15n, 12n],
  )
})

test('sumSold has each item once, with its sums', () => {
  const text = '12:1:2:0;15:1:0:355000000;12:1:2:0;12:3:2:0;9223372036854775807:1:2:0;12:1:2:0'
  assert.deepEqual(sumSold(text), [
    { item_id: 12n, lines: 6n, units: 8n, nanos: 0n },
    { item_id: 15n, lines: 1n, units: 0n, nanos: 355_000_000n },
    { item_id: 2n ** 63n - 1n, lines: 1n, units: 2n, nanos: 0n },
  ])
  assert.deepEqual(sumSold(''), [])
})

test('sumSold is exact, whatever the numbers', () => {
  const number = (most: bigint) => fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(-most, most))
  const entry = fc.record({
    ...{ item_id: number(2n ** 63n - 1n), lines: number(10n ** 12n), units: number(2n ** 63n - 1n) },
    nanos: fc.oneof(fc.constant(0n), fc.bigInt(-999_999_999n, 999_999_999n)),
  })
  fc.assert(
    fc.property(fc.array(entry), entries => {
      const sums = new Map<bigint, Sold>()
      for (const { item_id, lines, units, nanos } of entries) {
        const sum = sums.get(item_id) ?? { item_id, lines: 0n, units: 0n, nanos: 0n }
        const more = { lines: sum.lines + lines, units: sum.units + units, nanos: sum.nanos + nanos }
        sums.set(item_id, { item_id, ...more })
      }
      assert.deepEqual(sumSold(encodeSold(entries)), [...sums.values()])
    }),
    { numRuns: 2000 },
  )
})

test('sumSold of numbers that are exact, and whose sum as an ordinary number is not', () => {
  const half = 2n ** 53n - 1n
  assert.deepEqual(sumSold(`1:1:${half}:0;1:1:${half}:0;1:1:1:0`), [
    { item_id: 1n, lines: 3n, units: 2n ** 54n - 1n, nanos: 0n },
  ])
})

for (const text of ['12', '12:1:2', '12:1:2:0:9', '12:1:2:0;', ':1:2:0', 'a:1:2:0', '1:1:1:0;;1:1:1:0']) {
  test(`"${text}" is refused`, () => {
    assert.throws(() => decodeSold(text))
    assert.throws(() => sumSold(text))
  })
}
