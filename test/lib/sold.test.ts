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

/** Few ids, so that they meet; at the edge of what an ordinary number holds, on either side of zero, and beyond. */
const edge = (sign: bigint) => fc.bigInt(2n ** 53n - 60n, 2n ** 53n + 60n).map(number => sign * number)
const small = fc.bigInt(-20n, 20n)
const any = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const entriesOf = (number: fc.Arbitrary<bigint>) =>
  fc.array(fc.record({ item_id: number, lines: number, units: number, nanos: number }))
const histories = {
  'small numbers': entriesOf(small),
  'numbers at the edge': entriesOf(fc.oneof(small, edge(1n), edge(-1n))),
  'any numbers': entriesOf(fc.oneof(small, any)),
}
for (const [name, history] of Object.entries(histories)) {
  test(`sumSold is exact: ${name}`, () => {
    fc.assert(
      fc.property(history, entries => {
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
}

test('sumSold reads every number below 2^53 as it is, and sums that go beyond', () => {
  for (let id = 2n ** 53n - 100n; id < 2n ** 53n + 100n; id++) {
    assert.deepEqual(sumSold(`${id}:1:${id}:0;${id}:1:1:0;${id}:1:-2:-1`), [
      { item_id: id, lines: 3n, units: id - 1n, nanos: -1n },
    ])
  }
})

for (const text of [
  '12',
  '12:1:2',
  '12:1:2:0:9',
  '12:1:2:0;',
  ':1:2:0',
  'a:1:2:0',
  '1:1:1:0;;1:1:1:0',
  '-:1:1:0',
  '1:--1:1:0',
]) {
  test(`"${text}" is refused`, () => {
    assert.throws(() => decodeSold(text))
    assert.throws(() => sumSold(text))
  })
}
