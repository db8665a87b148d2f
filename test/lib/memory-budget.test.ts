import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryBudget } from '../../src/lib/memory-budget.ts'

test('memory budget: reservations share one limit, and each is released once', () => {
  const budget = createMemoryBudget(10)
  const [a, b] = [budget.open(), budget.open()]
  assert.equal(a.reserve(6), true)
  assert.equal(b.reserve(4), true)
  assert.equal(b.reserve(1), false)
  a.release()
  a.release()
  assert.equal(b.reserve(5), true)
  assert.equal(b.reserve(1), false)
})
