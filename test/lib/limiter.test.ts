import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLimiter } from '../../src/lib/limiter.ts'

const refuse = () => new Error('refused')
const tick = () => new Promise(setImmediate)

type Step = { kind: 'start' } | { kind: 'end'; which: number } | { kind: 'fail'; which: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'start' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), which: fc.nat(20) }) },
)

test('a limiter behaves as its model: so many run, so many wait in order of arrival, the rest are refused', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (concurrency, maxQueue, steps) => {
        const limiter = createLimiter({ concurrency, maxQueue, refuse })
        const running: number[] = []
        const results: string[] = []
        const works: { end(): void; fail(): void }[] = []
        const model = { running: [] as number[], waiting: [] as number[], results: [] as string[] }
        for (const { kind, ...rest } of steps) {
          if (kind === 'start') {
            const id = results.push('') - 1
            model.results.push('')
            const { promise, resolve, reject } = Promise.withResolvers<void>()
            works.push({ end: resolve, fail: () => reject(new Error('failed')) })
            const work = async () => {
              running.push(id)
              await promise.finally(() => running.splice(running.indexOf(id), 1))
            }
            limiter.run(work).then(
              () => (results[id] = 'ended'),
              error => (results[id] = (error as Error).message),
            )
            if (model.running.length < concurrency) model.running.push(id)
            else if (model.waiting.length < maxQueue) model.waiting.push(id)
            else model.results[id] = 'refused'
          } else if (model.running.length > 0) {
            const at = (rest as { which: number }).which % model.running.length
            const [id] = model.running.splice(at, 1) as [number]
            works[id]?.[kind]()
            model.results[id] = kind === 'end' ? 'ended' : 'failed'
            model.running.push(...model.waiting.splice(0, 1))
          }
          await tick()
          assert.deepEqual(running.toSorted(), model.running.toSorted())
          assert.deepEqual(results, model.results)
          assert.equal(limiter.idle, model.running.length === 0)
        }
        for (const { end } of works) end()
        await tick()
        assert.equal(limiter.idle, true)
      },
    ),
    { numRuns: 300 },
  ))

test('work begins at once when a slot is free', () => {
  let begun = false
  void createLimiter({ concurrency: 1 }).run(async () => {
    begun = true
  })
  assert.equal(begun, true)
})

test('a waiter is refused when its time is over, and the others keep their order', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let refusals = 0
  const limiter = createLimiter({
    concurrency: 1,
    maxWait: 100,
    refuse: () => new Error(`refused ${++refusals}`),
  })
  const first = Promise.withResolvers<void>()
  const order: string[] = []
  const running = limiter.run(() => first.promise)
  const late = limiter.run(async () => void order.push('late'))
  t.mock.timers.tick(60)
  const later = limiter.run(async () => void order.push('later'))
  const last = limiter.run(async () => void order.push('last'))
  t.mock.timers.tick(40)
  await assert.rejects(late, /refused/)
  first.resolve()
  await Promise.all([running, later, last])
  assert.deepEqual(order, ['later', 'last'])
  t.mock.timers.tick(1000)
  assert.equal(refusals, 1)
  assert.equal(limiter.idle, true)
})

test('abort rejects those that wait and those that come later, and lets running work end', async () => {
  const limiter = createLimiter({ concurrency: 1, refuse })
  const first = Promise.withResolvers<void>()
  const running = limiter.run(() => first.promise.then(() => 7))
  const waiting = limiter.run(async () => 8)
  limiter.abort(new Error('closed'))
  await assert.rejects(waiting, /closed/)
  await assert.rejects(
    limiter.run(async () => 9),
    /closed/,
  )
  first.resolve()
  assert.equal(await running, 7)
  await assert.rejects(limiter.acquire(), /closed/)
})

test('acquire and release hold a slot like run does', async () => {
  const limiter = createLimiter({ concurrency: 1 })
  await limiter.acquire()
  const waiting = limiter.run(async () => 7)
  await tick()
  assert.equal(limiter.idle, false)
  limiter.release()
  assert.equal(await waiting, 7)
  assert.equal(limiter.idle, true)
})
