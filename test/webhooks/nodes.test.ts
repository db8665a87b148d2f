import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { createDelivery, type Delivery } from '../../src/domain/webhooks/delivery.ts'
import type { Answer, Send } from '../../src/domain/webhooks/send.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import { databaseForEach } from '../helpers/engine.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { app } from '../storage/suite/fixtures.ts'
import { endpoint } from '../storage/suite/webhooks/fixtures.ts'

/** The loops of two processes on one database, one of which ends in the middle of its work. */

const start = Date.UTC(2026, 10, 15) / 1000
/** Longer than the lease of an attempt. */
const lease = 16

let storage: Storage
let now: number
let nodes: Delivery[]
let problems: unknown[]
/** Requests without an answer; the process that waits for it counts as killed. */
let hanging: ((answer: Answer) => void)[]
let orders = 0

const clock = { now: () => Math.floor(now), ms: () => Math.round(now * 1000) }
const ok: Answer = { status: 200, problem: null, answer: '', retry_after: undefined, duration_ms: 1 }
const failure: Answer = { ...ok, status: 500, problem: 'HTTP 500' }

/** A process; `answer` is what the receiver does with its requests, and never answers when it returns null. */
function startNode(answer: (sent: readonly number[]) => Answer | null = () => ok) {
  const sent: number[] = []
  const send: Send = async (_url, _headers, body) => {
    sent.push(JSON.parse(body).data.store_id)
    const given = answer(sent)
    if (given) return given
    const { promise, resolve } = Promise.withResolvers<Answer>()
    hanging.push(resolve)
    return promise
  }
  const delivery = createDelivery({ storage, clock, send, notice: error => void problems.push(error) })
  nodes.push(delivery)
  return { delivery, sent, tick: () => delivery.tick() }
}
/** Lets the attempts that have begun end. */
const settled = async () => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  // A statement of PostgreSQL takes some turns of the event loop.
  await storage.webhooks.sender()
}
async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; !(await is()); await settled()) assert.ok(Date.now() < end)
}
/** Stores an order in each; `at`: a transaction that began then. */
const pushAt = async (at: number, ...store_ids: number[]) => {
  const records = store_ids.map(store_id => ({ ...sampleOrder({ id: `N-${orders++}` }), store_id }))
  const lines = records.map((record, i) => ({ line: i + 1, text: JSON.stringify(record) }))
  await createRecordWriter({ storage, clock: { now: () => at } }).write(lines)
}
const push = (...store_ids: number[]) => pushAt(clock.now(), ...store_ids)

suite('webhooks of several processes', () => {
  beforeEach(async () => {
    now = start
    nodes = []
    problems = []
    hanging = []
    storage = await openStorage(await databaseForEach())
    const lines = [1, 2, 3].map((id, i) => ({ line: i + 1, text: JSON.stringify(sampleStore({ id })) }))
    await createRecordWriter({ storage, clock }).write(lines)
    await storage.apps.create(app('a'), null)
    await storage.authorizations.save(
      { id: 'link', app_id: 'a', account_id: null, scope: '' },
      [1n, 2n, 3n],
      'replace',
      now,
    )
    await storage.webhooks.create(endpoint('we_1', { events: ['store.changed'] }), 10)
  })
  afterEach(async () => {
    for (const answer of hanging) answer(ok)
    for (const node of nodes) await node.close()
    assert.deepEqual(problems, [])
    await storage.close()
  })

  test('what a process was sending when it was killed, another sends after the lease, however old it is', async () => {
    await push(1)
    now += 1200
    const killed = startNode(() => null)
    await killed.tick()
    assert.deepEqual(killed.sent, [1])
    const other = startNode()
    await other.tick()
    assert.deepEqual(other.sent, [], 'one attempt at a time')
    now += lease
    await other.tick()
    await until(() => other.sent.length > 0)
    assert.deepEqual(other.sent, [1])
  })

  test('a process that loses a claim looks again after the lease', async () => {
    await push(1)
    now += 1200
    await startNode().tick()
    await until(async () => (await storage.webhooks.deliveries('we_1', 9)).length === 1)
    await pushAt(start, 1)
    // At most one attempt a second: both processes keep it for later.
    const killed = startNode(() => null)
    const other = startNode()
    await killed.tick()
    await other.tick()
    now += 1.2
    await killed.tick()
    await other.tick()
    assert.deepEqual([killed.sent, other.sent], [[1], []])
    now += lease
    await other.tick()
    await until(() => other.sent.length === 1)
  })

  test('a store that changes during an attempt is due a second later, not after the lease', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const sent: string[] = []
    const send: Send = (_url, _headers, body) => (sent.push(body) === 1 ? promise : Promise.resolve(ok))
    const delivery = createDelivery({ storage, clock, send })
    nodes.push(delivery)
    await push(1)
    await delivery.tick()
    await push(1)
    // The sweep meets the store while its attempt is under way.
    await delivery.tick()
    resolve(ok)
    await until(async () => (await storage.webhooks.deliveries('we_1', 9)).length === 1)
    now += 1.1
    await delivery.tick()
    await until(() => sent.length === 2)
  })

  test('when an endpoint works again, every process knows what is due, also if the first is killed', async () => {
    await push(1, 2, 3)
    now += 1200
    const failing = startNode(() => failure)
    const other = startNode()
    await failing.tick()
    await until(async () => (await storage.webhooks.deliveries('we_1', 9)).length === 3)
    await other.tick()
    now += 5
    // The first attempt succeeds, and the process ends during the next ones.
    const recovered = startNode(sent => (sent.length === 1 ? ok : null))
    await recovered.tick()
    await until(() => recovered.sent.length > 1)
    await other.tick()
    now += lease
    await other.tick()
    await until(() => new Set([...other.sent, recovered.sent[0]]).size === 3)
  })

  test('after a long pause the sweep begins at the stored watermark', async () => {
    const node = startNode()
    await node.tick()
    now += 600
    // Stored by another process while this one is stopped, or cannot reach the database.
    await push(2)
    now += 2400
    await node.tick()
    await until(() => node.sent.length === 1)
    assert.deepEqual(node.sent, [2])
  })

  test('once an hour everything is compared, also positions that are missing', async () => {
    const node = startNode()
    await node.tick()
    await storage.authorizations.save(
      { id: 'link', app_id: 'a', account_id: null, scope: '' },
      [1n, 2n, 3n, 4n],
      'replace',
      now,
    )
    const text = JSON.stringify(sampleStore({ id: 4 }))
    await createRecordWriter({ storage, clock }).write([{ line: 1, text }])
    await push(4)
    now += 3500
    await node.tick()
    await settled()
    assert.deepEqual(node.sent, [])
    now += 200
    await node.tick()
    await until(() => node.sent.length === 1)
    assert.deepEqual(node.sent, [4])
  })

  test('close begins nothing, and waits for what is under way', async () => {
    await push(1, 2)
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const sent: string[] = []
    const send: Send = (_url, _headers, body) => {
      sent.push(body)
      return promise
    }
    const delivery = createDelivery({ storage, clock, send })
    await delivery.tick()
    assert.equal(sent.length, 2)
    await push(3)
    let isClosed = false
    const closing = delivery.close().then(() => {
      isClosed = true
    })
    await delivery.tick()
    await settled()
    assert.deepEqual([isClosed, sent.length], [false, 2])
    resolve(ok)
    await closing
    const log = await storage.webhooks.deliveries('we_1', 9)
    assert.deepEqual(
      log.map(({ state }) => state),
      ['delivered', 'delivered'],
    )
    assert.equal(sent.length, 2)
  })
})
