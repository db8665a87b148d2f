import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import {
  type AdmissionLimits,
  createAdmissionController,
  type Ticket,
} from '../../../src/http/admission/controller.ts'

/** Every queue is overload. */
const limits: AdmissionLimits = {
  concurrency: 2,
  max_queue_length: 3,
  low_load_limit: 0,
  queue_timeout: 40,
  low_load_timeout: 10_000,
  adaptive_lifo: false,
  time_slice: 1000,
}

/** No queue is. */
const lowLoad: AdmissionLimits = { ...limits, low_load_limit: 100 }

interface Scheduled {
  at: number
  call(): void
}

/** Time passes when the test says so. */
function manualTimer() {
  let now = 0
  const calls = new Set<Scheduled>()
  return {
    now: () => now,
    setTimeout: (call: () => void, milliseconds: number) => void calls.add({ at: now + milliseconds, call }),
    pass(milliseconds: number) {
      const end = now + milliseconds
      const isDue = ({ at }: Scheduled): boolean => at <= end
      for (let due = [...calls].filter(isDue); due.length > 0; due = [...calls].filter(isDue)) {
        const [first] = due.toSorted((a, b) => a.at - b.at) as [Scheduled]
        calls.delete(first)
        now = first.at
        first.call()
      }
      now = end
    },
  }
}

/** Requests with names, and a log of the controller's decisions. */
function requests(given: AdmissionLimits) {
  const { pass, ...timer } = manualTimer()
  const controller = createAdmissionController(given, timer)
  const log: string[] = []
  const tickets = new Map<string, Ticket>()
  return {
    log,
    pass,
    admit(...names: string[]): void {
      for (const name of names)
        tickets.set(
          name,
          controller.admit(rejection => log.push(rejection === null ? name : `${name} ${rejection}`)),
        )
    },
    resume(...names: string[]): void {
      for (const name of names)
        controller.resume(ticket => {
          tickets.set(name, ticket)
          log.push(name)
        })
    },
    /** Releases a ticket; returns the decisions that follow. */
    async release(name: string): Promise<string[]> {
      log.length = 0
      tickets.get(name)?.release()
      await nextIteration()
      return [...log]
    },
  }
}

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => prefix + i)

describe('concurrency limit and queue', () => {
  test('as many requests as the limit run at a time; the others start in the order of their arrival', async () => {
    const { log, admit, release } = requests(lowLoad)
    admit('a', 'b', 'c', 'd')
    assert.deepEqual(log, ['a', 'b'])
    assert.deepEqual(await release('a'), ['c'])
    assert.deepEqual(await release('b'), ['d'])
  })

  test('a second release of a ticket does nothing', async () => {
    const { admit, release } = requests(lowLoad)
    admit('a', 'b', 'c', 'd')
    assert.deepEqual(await release('a'), ['c'])
    assert.deepEqual(await release('a'), [])
  })

  test('a request that leaves the queue is never decided, and the next one starts', async () => {
    const { admit, release, pass, log } = requests(limits)
    admit('a', 'b', 'c', 'd')
    await release('c')
    assert.deepEqual(await release('a'), ['d'])
    pass(100)
    assert.deepEqual(log, ['d'])
  })

  test('a full queue rejects at once', async () => {
    const { log, admit, release } = requests(limits)
    admit('a', 'b', 'c', 'd', 'e', 'f')
    assert.deepEqual(log, ['a', 'b', 'f queue_full'])
    await release('d')
    log.length = 0
    admit('g', 'h')
    assert.deepEqual(log, ['h queue_full'], 'a request that left frees its place')
  })

  test('the queue keeps no request that has left it', async () => {
    const { admit } = createAdmissionController(limits, manualTimer())
    // Within a function, because a variable of this one would keep the request.
    const leave = (): WeakRef<object> => {
      const request = {}
      admit(() => Object.keys(request)).release()
      return new WeakRef(request)
    }
    // The first two run. The third is the oldest in the queue, so the one behind it stays in the queue.
    for (let i = 0; i < 3; i++) admit(() => {})
    const request = leave()
    await collectGarbage()
    assert.equal(request.deref(), undefined)
  })
})

/** A WeakRef holds its target until the end of the job that made it. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  await nextIteration()
  runInNewContext('gc')()
}

describe('queue timeout', () => {
  test('under overload it is short; slots that became free meanwhile are not lost', async () => {
    const { log, admit, release, pass } = requests(limits)
    admit('a', 'b', 'c', 'd')
    pass(39)
    assert.deepEqual(log, ['a', 'b'])
    pass(1)
    assert.deepEqual(log, ['a', 'b', 'c queue_timeout', 'd queue_timeout'])
    await release('a')
    admit('e')
    assert.deepEqual(log, ['e'])
  })

  test('a queue within the low-load limit has more time, until it becomes longer', async () => {
    const { log, admit, pass } = requests({ ...limits, low_load_limit: 2, max_queue_length: 100 })
    admit('a', 'b', 'c', 'd')
    pass(100)
    assert.deepEqual(log.splice(0), ['a', 'b'])
    admit('e')
    pass(1)
    assert.deepEqual(log, ['c queue_timeout', 'd queue_timeout'])
  })

  test('overload ends when the queue is down to a quarter of the low-load limit', async () => {
    const { log, admit, release, pass } = requests({
      ...limits,
      concurrency: 1,
      max_queue_length: 100,
      low_load_limit: 8,
    })
    const all = names('r', 11)
    admit(...all)
    for (const name of all.slice(0, 7)) await release(name)
    pass(39)
    admit('late')
    log.length = 0
    pass(1)
    assert.deepEqual(log, ['r8 queue_timeout', 'r9 queue_timeout'], 'overload still, until two are left')
    pass(1000)
    assert.deepEqual(log, ['r8 queue_timeout', 'r9 queue_timeout'])
  })
})

describe('adaptive LIFO', () => {
  const lifo = { ...limits, concurrency: 1, max_queue_length: 100, low_load_limit: 8, adaptive_lifo: true }

  test('under overload, once the oldest is about to be rejected, the newest starts first', async () => {
    const { admit, release, pass } = requests(lifo)
    admit(...names('r', 13))
    assert.deepEqual(await release('r0'), ['r1'], 'a burst starts in its order')
    pass(35)
    assert.deepEqual(await release('r1'), ['r2'], 'as long as all can be answered in time')
    pass(2)
    assert.deepEqual(await release('r2'), ['r12'])
    admit('late')
    await release('r11')
    assert.deepEqual(await release('r12'), ['late'])
    assert.deepEqual(await release('late'), ['r10'], 'r11 has left')
  })

  test('without overload the oldest starts first', async () => {
    const { admit, release, pass } = requests({ ...lifo, low_load_limit: 100 })
    admit(...names('r', 13))
    pass(37)
    assert.deepEqual(await release('r0'), ['r1'])
  })
})

describe('pieces of answers that have begun', () => {
  test('go before new requests, within the concurrency limit', async () => {
    const { log, admit, resume, release } = requests(limits)
    admit('a', 'b', 'c')
    resume('x', 'y')
    assert.deepEqual(log, ['a', 'b'])
    assert.deepEqual(await release('a'), ['x'])
    assert.deepEqual(await release('b'), ['y'])
    assert.deepEqual(await release('x'), ['c'])
  })

  test('are never rejected', async () => {
    const { log, admit, resume, pass, release } = requests(limits)
    admit('a', 'b', 'c', 'd', 'e')
    resume('x')
    pass(100_000)
    assert.deepEqual(
      log.filter(line => line.startsWith('x')),
      [],
    )
    assert.deepEqual(await release('a'), ['x'])
  })
})

describe('time slice', () => {
  /** How many of 12 requests have finished, of 4 ms each and two at a time: now and after each iteration of the event loop. */
  async function finished(time_slice: number): Promise<number[]> {
    const { pass, ...timer } = manualTimer()
    const controller = createAdmissionController({ ...lowLoad, max_queue_length: 100, time_slice }, timer)
    let done = 0
    for (let i = 0; i < 12; i++)
      controller.admit((_rejection, ticket) => {
        pass(4)
        ticket.release()
        done++
      })
    const counts = [done]
    while (counts.at(-1) !== 12 && counts.length < 12) {
      await nextIteration()
      counts.push(done)
    }
    return counts
  }

  test('within it a slot is free at once, after it in the next iteration of the event loop', async () => {
    assert.deepEqual(await finished(10), [2, 6, 10, 12])
  })

  test('without one, as many requests as the limit start in an iteration', async () => {
    assert.deepEqual(await finished(0), [2, 4, 6, 8, 10, 12])
  })

  test('requests that finish in a microtask all run in one slice', async () => {
    const controller = createAdmissionController({ ...lowLoad, max_queue_length: 100 }, manualTimer())
    let done = 0
    for (let i = 0; i < 50; i++)
      controller.admit(async (_rejection, ticket) => {
        await Promise.resolve()
        ticket.release()
        done++
      })
    await new Promise(resolve => process.nextTick(resolve))
    assert.equal(done, 2)
    await nextIteration()
    assert.equal(done, 50)
  })
})

test('each request is decided once, the limits hold, and no request is left waiting', async () => {
  const small = fc.nat(20)
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        concurrency: fc.integer({ min: 1, max: 5 }),
        low_load_limit: fc.nat(30),
        max_queue_length: fc.nat(60),
        adaptive_lifo: fc.boolean(),
        time_slice: fc.constantFrom(0, 10),
      }),
      fc.array(
        fc.record({ arrive: small, pieces: fc.nat(40), work: fc.nat(4), leave: small, pass: fc.nat(100) }),
      ),
      async (given, steps) => {
        const { pass, ...timer } = manualTimer()
        const controller = createAdmissionController({ ...limits, low_load_timeout: 100, ...given }, timer)
        const waiting = new Set<Ticket>()
        let running = 0
        let open = 0
        const run = (ticket: Ticket, pieces: number, work: number): void => {
          running++
          assert.ok(running <= given.concurrency)
          const end = () => {
            pass(work)
            running--
            ticket.release()
            if (pieces === 0) open--
            else process.nextTick(() => controller.resume(next => run(next, pieces - 1, work)))
          }
          // Synchronous like SQLite, or asynchronous like PostgreSQL.
          if (work % 2 === 0) end()
          else setImmediate(end)
        }
        for (const { arrive, pieces, work, leave, pass: milliseconds } of steps) {
          for (let i = 0; i < arrive; i++) {
            open++
            let decisions = 0
            const ticket = controller.admit((rejection, ticket) => {
              assert.equal(++decisions, 1)
              waiting.delete(ticket)
              if (rejection === null) run(ticket, pieces, work)
              else open--
            })
            if (decisions === 0) waiting.add(ticket)
          }
          assert.ok(waiting.size <= given.max_queue_length)
          for (const ticket of [...waiting].slice(0, leave)) {
            waiting.delete(ticket)
            ticket.release()
            open--
          }
          pass(milliseconds)
          await nextIteration()
        }
        const isEmpty = (): boolean => open === 0
        for (let iterations = 0; !isEmpty(); iterations++) {
          assert.ok(iterations < 10_000, `${open} requests are left`)
          await nextIteration()
        }
      },
    ),
  )
})
