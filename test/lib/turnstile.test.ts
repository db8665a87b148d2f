import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Crowded, createTurnstile } from '../../src/lib/turnstile.ts'

test('turnstile: so many run at a time, so many wait, the next is turned away, and places become free again', async () => {
  const pass = createTurnstile(2, 3)
  let running = 0
  let most = 0
  const leave: (() => void)[] = []
  const work = () =>
    pass(async () => {
      most = Math.max(most, ++running)
      await new Promise<void>(resolve => leave.push(resolve))
      running--
    })
  const five = Array.from({ length: 5 }, work)
  await assert.rejects(work(), Crowded)
  while (leave.length > 0) {
    leave.shift()?.()
    await new Promise(setImmediate)
  }
  await Promise.all(five)
  assert.equal(most, 2)
  const after = work()
  await new Promise(setImmediate)
  leave.shift()?.()
  await after
})

test('turnstile: work that fails gives its place back', async () => {
  const pass = createTurnstile(1, 0)
  await assert.rejects(
    pass(() => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await pass(async () => 7), 7)
})
