import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryBudget } from '../../src/lib/memory-budget.ts'

const refused = new Error('refused')
const options = { shared: 10, most: 6, maxQueue: 1, maxWait: 60_000, refuse: () => refused }

/** Whether the promise is settled once all that is ready has run. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  await new Promise(setImmediate)
  return settled
}

test('memory budget: beyond the shared bytes one reservation grows, and the next waits for its release', async () => {
  const budget = createMemoryBudget(options)
  const [a, b, c] = [budget.open(), budget.open(), budget.open()]
  await a.grow(6)
  await b.grow(4)
  await b.grow(5)
  await b.grow(1000)
  const waiting = a.grow(7)
  assert.equal(await isSettled(waiting), false)
  await assert.rejects(c.grow(1), refused)
  b.release()
  await waiting
  await c.grow(4)
  a.release()
  c.release()
})

test('memory budget: a reservation beyond its share waits although shared bytes are free', async () => {
  const budget = createMemoryBudget(options)
  const [a, b] = [budget.open(), budget.open()]
  await a.grow(7)
  assert.equal(await isSettled(b.grow(6)), true)
  const waiting = b.grow(7)
  assert.equal(await isSettled(waiting), false)
  a.release()
  await waiting
})

test('memory budget: who waits too long is refused, and its own bytes can be released', async () => {
  const budget = createMemoryBudget({ ...options, maxWait: 1 })
  const [a, b, c] = [budget.open(), budget.open(), budget.open()]
  await a.grow(100)
  await b.grow(6)
  await assert.rejects(b.grow(7), refused)
  b.release()
  await c.grow(6)
})
