import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRoom } from '../../src/lib/memory-budget.ts'

test('room: guests share it, and give all of theirs back once', () => {
  const room = createRoom(10)
  const [a, b] = [room.enter(), room.enter()]
  assert.equal(a.take(6), true)
  assert.equal(b.take(4), true)
  assert.equal(b.take(1), false)
  a.leave()
  a.leave()
  assert.equal(b.take(5), true)
  assert.equal(b.take(1), false)
})
