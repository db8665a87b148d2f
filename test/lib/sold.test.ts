import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeSold, encodeSold, sumSold } from '../../src/lib/sold.ts'

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

test('sumSold adds equal entries up, so that the sums by item stay what they were', () => {
  const text = '12:1:2:0;15:1:0:355000000;12:1:2:0;12:3:2:0;12:1:2:0'
  assert.deepEqual(sumSold(text), [
    { item_id: 12n, lines: 3n, units: 6n, nanos: 0n },
    { item_id: 15n, lines: 1n, units: 0n, nanos: 355_000_000n },
    { item_id: 12n, lines: 3n, units: 2n, nanos: 0n },
  ])
  assert.deepEqual(sumSold(''), [])
  assert.throws(() => sumSold('12:1:2:0;'))
})

for (const text of ['12', '12:1:2', '12:1:2:0:9', '12:1:2:0;', ':1:2:0', 'a:1:2:0']) {
  test(`"${text}" is refused`, () => assert.throws(() => decodeSold(text)))
}
