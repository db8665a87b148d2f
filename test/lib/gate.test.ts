import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createGate, type TurnedAway, type Visit } from '../../src/lib/gate.ts'

const limits = { inside: 2, turn_ms: 1000, waiting: 3, patience_ms: 40, burst_ms: 40, few: 0, few_ms: 0 }

function visitors(gate: ReturnType<typeof createGate>) {
  const log: string[] = []
  const visits = new Map<string, Visit>()
  return {
    log,
    come(name: string): void {
      const visit = gate.enter(
        (turnedAway: TurnedAway | null) => void log.push(`${name} ${turnedAway ?? 'in'}`),
      )
      visits.set(name, visit)
    },
    go: (name: string) => visits.get(name)?.leave(),
  }
}

describe('gate', () => {
  test('lets so many in at a time; the others follow in their order', async () => {
    const { log, come, go } = visitors(createGate(limits))
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    assert.deepEqual(log, ['a in', 'b in'])
    go('a')
    await nextTurn()
    assert.deepEqual(log.splice(0), ['a in', 'b in', 'c in'])
    go('b')
    await nextTurn()
    assert.deepEqual(log, ['d in'])
  })

  test('a visitor who leaves twice gives back one place', async () => {
    const { log, come, go } = visitors(createGate(limits))
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    go('a')
    go('a')
    await nextTurn()
    assert.deepEqual(log, ['a in', 'b in', 'c in'])
  })

  test('one who leaves while it waits is not called, and the next is', async () => {
    const { log, come, go } = visitors(createGate(limits))
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    go('c')
    go('a')
    await nextTurn()
    assert.deepEqual(log, ['a in', 'b in', 'd in'])
  })

  test('behind a full queue one is turned away at once; after its time, who waits is', async () => {
    const { log, come, go } = visitors(createGate(limits))
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) come(name)
    assert.deepEqual(log.splice(0), ['a in', 'b in', 'f crowded'])
    await sleep(80)
    assert.deepEqual(log.splice(0), ['c waited', 'd waited', 'e waited'])
    go('a')
    come('g')
    assert.deepEqual(log, ['g in'], 'places that were waited for in vain are not lost')
  })

  test('a burst has more time than a crowd that stands', async () => {
    const { log, come, go } = visitors(
      createGate({ ...limits, waiting: 100, patience_ms: 20, burst_ms: 150 }),
    )
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    await sleep(60)
    go('a')
    await nextTurn()
    assert.deepEqual(log.splice(0), ['a in', 'b in', 'c in'], 'c has waited beyond its patience')
    await sleep(150)
    assert.deepEqual(log.splice(0), ['d waited'], 'and d beyond the burst')
    // Somebody has always been waiting since: this is no burst any more.
    const keep = setInterval(() => come('x'), 5)
    await sleep(200)
    log.length = 0
    const began = performance.now()
    come('late')
    while (!log.includes('late waited')) await sleep(5)
    assert.ok(performance.now() - began < 120)
    clearInterval(keep)
  })

  test('few have more time than many', async () => {
    const { log, come } = visitors(
      createGate({ ...limits, waiting: 100, patience_ms: 20, few: 2, few_ms: 10_000 }),
    )
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    await sleep(100)
    assert.deepEqual(log.splice(0), ['a in', 'b in'], 'c and d are waiting still')
    come('e')
    await sleep(100)
    assert.deepEqual(log, ['c waited', 'd waited', 'e waited'], 'together they are many, to the last of them')
  })

  test('lets in for a while in each turn of the event loop, so that all else has its turn too', async () => {
    const gate = createGate({ ...limits, waiting: 100, turn_ms: 10, patience_ms: 1000 })
    let done = 0
    for (let i = 0; i < 12; i++) {
      gate.enter((_why, visit) => {
        const began = performance.now()
        while (performance.now() - began < 4);
        visit.leave()
        done++
      })
    }
    assert.ok(done >= 1 && done <= 3, `${done} of four milliseconds each`)
    for (let turns = 1; turns <= 3; turns++) {
      const before = done
      await nextTurn()
      assert.ok(done - before <= 3)
    }
  })

  test('when most of a crowd are through, those who come then are few again', async () => {
    const { log, come, go } = visitors(
      createGate({ ...limits, inside: 1, waiting: 100, patience_ms: 20, few: 8, few_ms: 10_000 }),
    )
    const names = Array.from({ length: 11 }, (_, i) => `v${i}`)
    for (const name of names) come(name)
    for (const name of names.slice(0, 9)) {
      go(name)
      await nextTurn()
    }
    assert.equal(log.length, 10, 'one is waiting still')
    come('late')
    await sleep(100)
    assert.deepEqual(log.slice(10), [])
  })
})
