import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import {
  createGate,
  type GateLimits,
  type Timer,
  type TurnedAway,
  type Visit,
} from '../../src/http/admission/gate.ts'

/** Whoever waits is a crowd. */
const limits = { inside: 2, turn_ms: 1000, waiting: 3, patience_ms: 40, burst_ms: 40, few: 0, few_ms: 0 }

/** Nobody is. */
const uncrowded = { ...limits, few: 100, few_ms: 10_000 }

interface Waiting {
  at: number
  call(): void
}

/** Time that passes when the test says so. */
function manualTimer(): Timer & { pass(milliseconds: number): void } {
  let now = 0
  const calls = new Set<Waiting>()
  return {
    now: () => now,
    after(milliseconds, call) {
      const waiting = { at: now + milliseconds, call }
      calls.add(waiting)
      return () => void calls.delete(waiting)
    },
    pass(milliseconds) {
      const end = now + milliseconds
      const isDue = ({ at }: Waiting): boolean => at <= end
      for (let due = [...calls].filter(isDue); due.length > 0; due = [...calls].filter(isDue)) {
        const [first] = due.toSorted((a, b) => a.at - b.at) as [Waiting]
        calls.delete(first)
        now = first.at
        first.call()
      }
      now = end
    },
  }
}

function visitors(limits: GateLimits) {
  const { pass, ...timer } = manualTimer()
  const gate = createGate(limits, timer)
  const log: string[] = []
  const visits = new Map<string, Visit>()
  return {
    log,
    pass,
    come(name: string): void {
      const visit = gate.enter(
        (turnedAway: TurnedAway | null) => void log.push(`${name} ${turnedAway ?? 'in'}`),
      )
      visits.set(name, visit)
    },
    go: (name: string) => visits.get(name)?.leave(),
    again(): void {
      gate.again(visit => {
        log.push('again')
        visit.leave()
      })
    },
  }
}

describe('gate', () => {
  test('lets so many in at a time; the others follow in their order', async () => {
    const { log, come, go } = visitors(uncrowded)
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    assert.deepEqual(log, ['a in', 'b in'])
    go('a')
    await nextTurn()
    assert.deepEqual(log.splice(0), ['a in', 'b in', 'c in'])
    go('b')
    await nextTurn()
    assert.deepEqual(log, ['d in'])
  })

  test('where a crowd stands and some come again, who came last is next; a burst, and what is left of it, follow in their order', async () => {
    const { log, come, go, again, pass } = visitors({
      ...limits,
      inside: 1,
      waiting: 100,
      few: 8,
      few_ms: 10_000,
      patience_ms: 200,
      burst_ms: 10_000,
    })
    const next = async (leaving: string): Promise<string[]> => {
      log.length = 0
      go(leaving)
      await nextTurn()
      return [...log]
    }
    for (let i = 0; i <= 12; i++) come(`v${i}`)
    again()
    assert.deepEqual(await next('v0'), ['again', 'v1 in'], 'they have just come')
    pass(101)
    assert.deepEqual(await next('v1'), ['v2 in'], 'nobody has come again for a while')
    again()
    assert.deepEqual(await next('v2'), ['again', 'v12 in'])
    come('late')
    assert.deepEqual(await next('v12'), ['late in'])
    assert.deepEqual(await next('late'), ['v11 in'])
    assert.deepEqual(await next('v11'), ['v3 in'], 'those who are left are few')
  })

  test('a visitor who leaves twice gives back one place', async () => {
    const { log, come, go } = visitors(uncrowded)
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    go('a')
    go('a')
    await nextTurn()
    assert.deepEqual(log, ['a in', 'b in', 'c in'])
  })

  test('one who leaves while it waits is not called, and the next is', async () => {
    const { log, come, go } = visitors(limits)
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    go('c')
    go('a')
    await nextTurn()
    assert.deepEqual(log, ['a in', 'b in', 'd in'])
  })

  test('behind a full queue one is turned away at once; after its time, who waits is', async () => {
    const { log, come, go, pass } = visitors(limits)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) come(name)
    assert.deepEqual(log.splice(0), ['a in', 'b in', 'f crowded'])
    pass(39)
    assert.deepEqual(log, [])
    pass(1)
    assert.deepEqual(log.splice(0), ['c waited', 'd waited', 'e waited'])
    go('a')
    come('g')
    assert.deepEqual(log, ['g in'], 'places that were waited for in vain are not lost')
  })

  test('a burst has more time than a crowd that stands', async () => {
    const { log, come, go, pass } = visitors({ ...limits, waiting: 100, patience_ms: 20, burst_ms: 150 })
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    pass(60)
    go('a')
    await nextTurn()
    assert.deepEqual(log.splice(0), ['a in', 'b in', 'c in'], 'c has waited beyond its patience')
    pass(90)
    assert.deepEqual(log.splice(0), ['d waited'], 'and d beyond the burst')
    // Somebody is always waiting from now on: soon this is no burst any more.
    for (let waited = 0; waited < 200; waited += 5) {
      come('x')
      pass(5)
    }
    log.length = 0
    come('late')
    pass(19)
    assert.ok(!log.includes('late waited'))
    pass(1)
    assert.ok(log.includes('late waited'))
  })

  test('few have more time than many', async () => {
    const { log, come, pass } = visitors({ ...limits, waiting: 100, patience_ms: 20, few: 2, few_ms: 10_000 })
    for (const name of ['a', 'b', 'c', 'd']) come(name)
    pass(100)
    assert.deepEqual(log.splice(0), ['a in', 'b in'], 'c and d are waiting still')
    come('e')
    pass(100)
    assert.deepEqual(log, ['c waited', 'd waited', 'e waited'], 'together they are many, to the last of them')
  })

  test('lets in for a while in each turn of the event loop, so that all else has its turn too', async () => {
    const { pass, ...timer } = manualTimer()
    const gate = createGate({ ...limits, waiting: 100, turn_ms: 10, patience_ms: 1000 }, timer)
    let done = 0
    for (let i = 0; i < 12; i++) {
      gate.enter((_why, visit) => {
        pass(4)
        visit.leave()
        done++
      })
    }
    assert.equal(done, 3, 'of four milliseconds each')
    for (const expected of [6, 9, 12]) {
      await nextTurn()
      assert.equal(done, expected)
    }
  })

  test('what is done at once makes room at once: many have their turn before the event loop goes on', async () => {
    const gate = createGate({ ...limits, waiting: 100 }, manualTimer())
    let done = 0
    for (let i = 0; i < 50; i++) {
      gate.enter(async (_why, visit) => {
        await Promise.resolve()
        visit.leave()
        done++
      })
    }
    assert.equal(done, 0)
    await new Promise(resolve => process.nextTick(resolve))
    await nextTurn()
    assert.equal(done, 50)
  })

  test('where somebody is always waiting, they have half as much time as all else took, up to four turns', async () => {
    const { pass, ...timer } = manualTimer()
    const gate = createGate(
      { ...limits, waiting: 1000, turn_ms: 10, patience_ms: 100_000, burst_ms: 100_000 },
      timer,
    )
    let done = 0
    const come = () =>
      gate.enter((_why, visit) => {
        pass(2)
        visit.leave()
        done++
      })
    const inNextTurn = async (): Promise<number> => {
      done = 0
      await nextTurn()
      return done
    }
    for (let i = 0; i < 200; i++) come()
    assert.equal(done, 5, 'a turn')
    assert.equal(await inNextTurn(), 5)
    pass(30)
    assert.equal(await inNextTurn(), 8, 'half as long as the rest took, and the last one before it')
    pass(500)
    assert.equal(await inNextTurn(), 20, 'four turns')
    assert.equal(await inNextTurn(), 5, 'and one again')
  })

  test('who was inside goes before all who wait, and waits for a place too', async () => {
    const gate = createGate(limits, manualTimer())
    const log: string[] = []
    const visits: Visit[] = []
    for (const name of ['a', 'b', 'c'])
      gate.enter((why, visit) => {
        log.push(`${name} ${why ?? 'in'}`)
        visits.push(visit)
      })
    for (const name of ['x', 'y'])
      gate.again(visit => {
        log.push(`${name} again`)
        visits.push(visit)
      })
    assert.deepEqual(log.splice(0), ['a in', 'b in'], 'there is no place yet')
    for (const expected of ['x again', 'y again', 'c in']) {
      visits.shift()?.leave()
      await nextTurn()
      assert.deepEqual(log.splice(0), [expected])
    }
  })

  test('who was inside is not turned away, and others wait while it does', async () => {
    const { pass, ...timer } = manualTimer()
    const gate = createGate({ ...limits, turn_ms: 10 }, timer)
    const log: string[] = []
    const work = (name: string) => (visit: Visit) => {
      log.push(name)
      pass(10)
      visit.leave()
    }
    for (const name of ['a', 'b']) gate.enter((why, visit) => work(why ?? name)(visit))
    for (const name of ['x', 'y', 'z']) gate.again(work(name))
    assert.deepEqual(log, ['a'], 'one in each turn of the event loop')
    for (const expected of ['x', 'y', 'z', 'b']) {
      log.length = 0
      await nextTurn()
      assert.deepEqual(log, [expected])
    }
  })

  test('where no crowd waits, all else has its turn before who was inside', async () => {
    const order = async (crowd: GateLimits): Promise<string[]> => {
      const gate = createGate({ ...crowd, inside: 1 }, manualTimer())
      const log: string[] = []
      const visits: Visit[] = []
      for (const name of ['a', 'b'])
        gate.enter((_why, visit) => {
          log.push(name)
          visits.push(visit)
        })
      gate.again(visit => {
        log.push('again')
        visit.leave()
      })
      setImmediate(() => log.push('all else'))
      visits[0]?.leave()
      await nextTurn()
      visits[1]?.leave()
      await nextTurn()
      return log
    }
    assert.deepEqual(await order(limits), ['a', 'again', 'b', 'all else'])
    assert.deepEqual(await order(uncrowded), ['a', 'b', 'all else', 'again'])
  })

  test('who always comes again does not keep others out for ever', async () => {
    const { pass, ...timer } = manualTimer()
    const gate = createGate({ ...limits, turn_ms: 10, waiting: 10, patience_ms: 1000 }, timer)
    let pieces = 0
    let ended = false
    const work = (visit: Visit): void => {
      pieces++
      pass(1)
      visit.leave()
      if (!ended) gate.again(work)
    }
    const seen: string[] = []
    const come = (name: string) =>
      gate.enter((why, visit) => {
        seen.push(`${name} ${why ?? 'in'} after ${pieces}`)
        pass(name === 'first' ? 10 : 0)
        visit.leave()
      })
    for (const name of ['first', 'a', 'b']) come(name)
    for (let i = 0; i < 50; i++) gate.again(work)
    while (seen.length < 3) await nextTurn()
    ended = true
    assert.deepEqual(seen, ['first in after 0', 'a in after 31', 'b in after 62'])
    await nextTurn()
  })

  test('where many come again in each turn, one comes for the first time; where few do, all', async () => {
    const newInTurn = async (returning: number): Promise<number> => {
      const gate = createGate({ ...uncrowded, waiting: 100 }, manualTimer())
      for (let i = 0; i < returning; i++) gate.again(visit => visit.leave())
      let came = 0
      setImmediate(() => {
        for (let i = 0; i < 10; i++)
          gate.enter((_why, visit) => {
            came++
            visit.leave()
          })
      })
      await nextTurn()
      const first = came
      await nextTurn()
      assert.equal(came, 10, 'the others follow')
      return first
    }
    assert.equal(await newInTurn(31), 10)
    assert.equal(await newInTurn(40), 1)
  })

  test('where many come again, one of those who wait begins behind 31 of them, and the others in the next turn', async () => {
    const gate = createGate({ ...limits, inside: 1, waiting: 100 }, manualTimer())
    let log = ''
    const holder = gate.enter(() => {})
    for (let i = 0; i < 10; i++)
      gate.enter((_why, visit) => {
        log += 'N'
        visit.leave()
      })
    const again = () =>
      gate.again(visit => {
        log += 'a'
        visit.leave()
      })
    for (let i = 0; i < 70; i++) again()
    holder.leave()
    // All that happens before the event loop goes on.
    const allAtOnce = () => new Promise(resolve => process.nextTick(resolve))
    await allAtOnce()
    const turn = `${'a'.repeat(31)}N${'a'.repeat(31)}N${'a'.repeat(8)}`
    assert.equal(log, turn)
    again()
    await allAtOnce()
    assert.equal(log, `${turn}a`, 'there is time left in this turn')
    await nextTurn()
    assert.equal(log, `${turn}a${'N'.repeat(8)}`)
  })

  test('whatever comes, each has one answer, no more are inside than may be, and in the end all are through', async () => {
    const small = fc.nat(20)
    await fc.assert(
      fc.asyncProperty(
        fc.record({ inside: fc.integer({ min: 1, max: 5 }), few: fc.nat(30), waiting: fc.nat(60) }),
        fc.array(
          fc.record({ come: small, pieces: fc.nat(40), work: fc.nat(4), leave: small, pass: fc.nat(100) }),
        ),
        async (given, steps) => {
          const { pass, ...timer } = manualTimer()
          const gate = createGate({ ...limits, turn_ms: 10, few_ms: 100, ...given }, timer)
          const waiting = new Set<Visit>()
          let inside = 0
          let open = 0
          const stay = (visit: Visit, pieces: number, work: number): void => {
            inside++
            assert.ok(inside <= given.inside)
            const end = () => {
              pass(work)
              inside--
              visit.leave()
              if (pieces === 0) open--
              else process.nextTick(() => gate.again(next => stay(next, pieces - 1, work)))
            }
            // As with SQLite, or as with PostgreSQL.
            if (work % 2 === 0) end()
            else setImmediate(end)
          }
          for (const { come, pieces, work, leave, pass: passing } of steps) {
            for (let i = 0; i < come; i++) {
              open++
              let answers = 0
              const visit = gate.enter((why, visit) => {
                assert.equal(++answers, 1)
                waiting.delete(visit)
                if (why === null) stay(visit, pieces, work)
                else open--
              })
              if (answers === 0) waiting.add(visit)
            }
            for (const visit of [...waiting].slice(0, leave)) {
              waiting.delete(visit)
              visit.leave()
              open--
            }
            pass(passing)
            await nextTurn()
          }
          const areAllThrough = (): boolean => open === 0
          for (let turns = 0; !areAllThrough(); turns++) {
            assert.ok(turns < 10_000, `${open} are left`)
            await nextTurn()
          }
        },
      ),
    )
  })

  test('when most of a crowd are through, those who come then are few again', async () => {
    const { log, come, go, pass } = visitors({
      ...limits,
      inside: 1,
      waiting: 100,
      patience_ms: 20,
      few: 8,
      few_ms: 10_000,
    })
    const names = Array.from({ length: 11 }, (_, i) => `v${i}`)
    for (const name of names) come(name)
    for (const name of names.slice(0, 9)) {
      go(name)
      await nextTurn()
    }
    assert.equal(log.length, 10, 'one is waiting still')
    come('late')
    pass(100)
    assert.deepEqual(log.slice(10), [])
  })
})
