import assert from 'node:assert/strict'
import { afterEach, beforeEach } from 'node:test'
import { createDelivery, type Delivery, type DeliveryDeps } from '../../src/domain/webhooks/delivery.ts'
import type { Answer, Send } from '../../src/domain/webhooks/send.ts'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { databaseForEach } from '../helpers/engine.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { app } from '../storage/suite/fixtures.ts'
import { endpoint, scope } from '../storage/suite/webhooks/fixtures.ts'
import { openStorage } from '../helpers/storage.ts'

export const start = Date.UTC(2026, 10, 15) / 1000
export const ok: Answer = { status: 200, problem: null, answer: '', retry_after: undefined, duration_ms: 1 }
export const failure: Answer = { ...ok, status: 500, problem: 'HTTP 500' }

/** The loops of several processes on one database, without the network. Called once in a suite. */
export function useNodes(store_ids: readonly number[]) {
  let nodes: Delivery[] = []
  let problems: unknown[] = []
  /** Requests without an answer; the process that waits for it counts as killed. */
  let hanging: ((answer: Answer) => void)[] = []
  let orders = 0
  let opened: Storage
  const clock = { now: () => Math.floor(world.now), ms: () => Math.round(world.now * 1000) }

  const world = {
    now: start,
    clock,
    get storage() {
      return opened
    },
    /** A process; `answer` is what the receiver does with its requests, and never answers when it returns null. */
    startNode(
      answer: (sent: readonly number[]) => Answer | null = () => ok,
      deps: Partial<DeliveryDeps> = {},
    ) {
      const sent: number[] = []
      const send: Send = async (_url, _headers, body) => {
        sent.push(JSON.parse(body).data.store_id)
        const given = answer(sent)
        if (given) return given
        const { promise, resolve } = Promise.withResolvers<Answer>()
        hanging.push(resolve)
        return promise
      }
      const notice = (error: unknown) => void problems.push(error)
      const delivery = createDelivery({ storage: opened, clock, send, notice, ...deps })
      nodes.push(delivery)
      return { delivery, sent, tick: () => delivery.tick() }
    },
    /** Answers every request that has none. */
    answerAll(answer: Answer): void {
      for (const resolve of hanging.splice(0)) resolve(answer)
    },
    /** Stores an order in each; `at`: a transaction that began then. */
    async pushAt(at: number, ...ids: number[]): Promise<void> {
      const records = ids.map(store_id => ({ ...sampleOrder({ id: `N-${orders++}` }), store_id }))
      const lines = records.map((record, i) => ({ line: i + 1, text: JSON.stringify(record) }))
      await createRecordWriter({ storage: opened, clock: { now: () => at } }).write(lines)
    },
    push: (...ids: number[]) => world.pushAt(clock.now(), ...ids),
    /** Lets the attempts that have begun end. */
    async settled(): Promise<void> {
      for (let i = 0; i < 20; i++) await new Promise(setImmediate)
      // A statement of PostgreSQL takes some turns of the event loop.
      await opened.webhooks.sender()
    },
    async until(is: () => boolean | Promise<boolean>): Promise<void> {
      for (const end = Date.now() + 60_000; !(await is()); await world.settled()) assert.ok(Date.now() < end)
    },
    log: () => opened.webhooks.deliveries('we_1', 100),
  }

  beforeEach(async () => {
    world.now = start
    nodes = []
    problems = []
    hanging = []
    opened = await openStorage(await databaseForEach())
    const lines = store_ids.map((id, i) => ({ line: i + 1, text: JSON.stringify(sampleStore({ id })) }))
    await createRecordWriter({ storage: opened, clock }).write(lines)
    await opened.apps.create(app('a', { scope }), null)
    const link = { id: 'link', app_id: 'a', account_id: null, scope }
    await opened.authorizations.save(link, store_ids.map(BigInt), 'replace', start)
    await opened.webhooks.create(endpoint('we_1', { events: ['store.changed'] }), 10)
  })
  afterEach(async () => {
    world.answerAll(ok)
    for (const node of nodes) await node.close()
    assert.deepEqual(problems, [])
    await opened.close()
  })
  return world
}
