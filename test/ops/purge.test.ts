import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startPurge } from '../../src/server/purge.ts'
import { testClock } from '../helpers/clock.ts'

/** The purge of each minute. */

function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const running: PromiseWithResolvers<void>[] = []
  const warnings: unknown[] = []
  const purge = startPurge({
    clock: testClock(),
    storage: {
      purge: () => {
        const one = Promise.withResolvers<void>()
        running.push(one)
        return one.promise
      },
    },
    log: { warn: (details: unknown) => void warnings.push(details) },
  })
  return { purge, running, warnings }
}

const settled = () => new Promise(setImmediate)

test('a minute that begins while a purge runs starts no second one; the one after its end does', async t => {
  const { purge, running } = start(t)
  t.mock.timers.tick(60_000)
  t.mock.timers.tick(120_000)
  assert.equal(running.length, 1)
  running[0]?.resolve()
  await settled()
  t.mock.timers.tick(60_000)
  assert.equal(running.length, 2)
  purge.stop()
  running[1]?.resolve()
  await settled()
  t.mock.timers.tick(60_000)
  assert.equal(running.length, 2)
})

test('a purge that fails is a warning, and the next minute has another; not one that the stop ends', async t => {
  const { purge, running, warnings } = start(t)
  const err = new Error('away')
  t.mock.timers.tick(60_000)
  running[0]?.reject(err)
  await settled()
  t.mock.timers.tick(60_000)
  assert.deepEqual([running.length, warnings], [2, [{ err }]])
  purge.stop()
  running[1]?.reject(err)
  await settled()
  assert.equal(warnings.length, 1)
})
