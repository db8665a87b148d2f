import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGate, type TurnedAway, type Visit } from '../../src/lib/gate.ts'

const limits = { inside: 2, waiting: 3, patience_ms: 40, burst_ms: 40 }

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
  test('lets so many in at a time; the others follow in their order', () => {
    const { log, come, go } = visitors(createGate(limits))
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    assert.deepEqual(log, ['a in', 'b in'])
    go('a')
    assert.deepEqual(log.splice(0), ['a in', 'b in', 'c in'])
    go('b')
    assert.deepEqual(log, ['d in'])
  })

  test('a visitor who leaves twice gives back one place', () => {
    const { log, come, go } = visitors(createGate(limits))
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    go('a')
    go('a')
    assert.deepEqual(log, ['a in', 'b in', 'c in'])
  })

  test('one who leaves while it waits is not called, and the next is', () => {
    const { log, come, go } = visitors(createGate(limits))
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    go('c')
    go('a')
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
})
