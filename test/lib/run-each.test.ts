import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runEach } from '../../src/lib/run-each.ts'

test('every step runs after the end of the one before, also after a failed one; the first error is thrown', async () => {
  const ran: string[] = []
  const step = (name: string, fails: boolean) => async () => {
    ran.push(`${name} begins`)
    await new Promise(setImmediate)
    ran.push(`${name} ends`)
    if (fails) throw new Error(name)
  }
  const thrown = () => {
    throw new Error('at once')
  }
  await assert.rejects(runEach([step('a', false), step('b', true), thrown, step('c', true)]), {
    message: 'b',
  })
  assert.deepEqual(ran, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  await runEach([step('d', false)])
})
