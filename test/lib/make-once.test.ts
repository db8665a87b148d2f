import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeOnce } from '../../src/lib/make-once.ts'

test('a value is made once, also for calls at the same time; a failure is tried again by the next call', async () => {
  let calls = 0
  const value = makeOnce(async () => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls
  })
  const first = await Promise.allSettled([value(), value()])
  assert.deepEqual([first.map(({ status }) => status), calls], [['rejected', 'rejected'], 1])
  assert.deepEqual(await Promise.all([value(), value()]), [2, 2])
  assert.equal(await value(), 2)
})
