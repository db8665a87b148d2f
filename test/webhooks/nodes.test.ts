import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import { sampleStore } from '../helpers/orders.ts'
import { failure, ok, start, useNodes } from './harness.ts'

/** The loops of two processes on one database, one of which ends in the middle of its work. */

/** Longer than the lease of an attempt. */
const lease = 16

suite('webhooks of several processes', () => {
  const world = useNodes([1, 2, 3])
  const { startNode, push, pushAt, settled, until, log, clock } = world

  test('what a process was sending when it was killed, another sends after the lease, however old it is', async () => {
    await push(1)
    world.now += 1200
    const killed = startNode(() => null)
    await killed.tick()
    assert.deepEqual(killed.sent, [1])
    const other = startNode()
    await other.tick()
    assert.deepEqual(other.sent, [], 'one attempt at a time')
    world.now += lease
    await other.tick()
    await until(() => other.sent.length > 0)
    assert.deepEqual(other.sent, [1])
  })

  test('a process that loses a lease looks again after the lease', async () => {
    await push(1)
    world.now += 1200
    await startNode().tick()
    await until(async () => (await log()).length === 1)
    await pushAt(start, 1)
    // At most one attempt a second: both processes keep it for later.
    const killed = startNode(() => null)
    const other = startNode()
    await killed.tick()
    await other.tick()
    world.now += 1.2
    await killed.tick()
    await other.tick()
    assert.deepEqual([killed.sent, other.sent], [[1], []])
    world.now += lease
    await other.tick()
    await until(() => other.sent.length === 1)
  })

  test('a store that changes during an attempt is due a second later, not after the lease', async () => {
    const node = startNode(sent => (sent.length === 1 ? null : ok))
    await push(1)
    await node.tick()
    await push(1)
    // The sweep meets the store while its attempt is under way.
    await node.tick()
    world.answerAll(ok)
    await until(async () => (await log()).length === 1)
    world.now += 1.1
    await node.tick()
    await until(() => node.sent.length === 2)
  })

  test('when an endpoint works again, every process knows what is due, also if the first is killed', async () => {
    await push(1, 2, 3)
    world.now += 1200
    const failing = startNode(() => failure)
    const other = startNode()
    await failing.tick()
    await until(async () => (await log()).length === 3)
    await other.tick()
    world.now += 5
    // The first attempt succeeds, and the process ends during the next ones.
    const recovered = startNode(sent => (sent.length === 1 ? ok : null))
    await recovered.tick()
    await until(() => recovered.sent.length > 1)
    await other.tick()
    world.now += lease
    await other.tick()
    await until(() => new Set([...other.sent, recovered.sent[0]]).size === 3)
  })

  test('after a long pause the sweep begins at the stored watermark', async () => {
    const node = startNode()
    await node.tick()
    world.now += 600
    // Stored by another process while this one is stopped, or cannot reach the database.
    await push(2)
    world.now += 2400
    await node.tick()
    await until(() => node.sent.length === 1)
    assert.deepEqual(node.sent, [2])
  })

  test('a sweep begins shortly before the last one, and every ten seconds at the watermark with its long overlap', async () => {
    const above: number[] = []
    const { due } = world.storage.webhooks
    world.storage.webhooks.due = (scope, ...more) => {
      if ('above' in scope) above.push(start - scope.above / 1_000_000)
      return due(scope, ...more)
    }
    const node = startNode()
    for (const seconds of [0, 1, 1, 10]) {
      world.now += seconds
      await node.tick()
    }
    // Before the first the watermark is 0; the first sets it.
    assert.deepEqual(above, [start, 15, 14, 300])
  })

  test('a clock that is set back delays neither the long sweep nor the complete comparison', async () => {
    let elapsed = 0
    const asked: string[] = []
    const { due, complete } = world.storage.webhooks
    world.storage.webhooks.due = (scope, ...more) => {
      if ('above' in scope) asked.push(`${clock.now() - scope.above / 1_000_000} s`)
      return due(scope, ...more)
    }
    world.storage.webhooks.complete = endpoint_id => {
      asked.push('complete')
      return complete(endpoint_id)
    }
    const node = startNode(() => ok, { clock: { ...clock, elapsed: () => elapsed } })
    await node.tick()
    assert.deepEqual(asked.splice(0), ['complete', `${start} s`])
    world.now -= 7200
    for (const milliseconds of [1000, 10_000, 3_590_000]) {
      elapsed += milliseconds
      await node.tick()
    }
    assert.deepEqual(asked, ['15 s', '300 s', 'complete', '300 s'])
  })

  test('once an hour everything is compared, also positions that are missing', async () => {
    const node = startNode()
    await node.tick()
    await world.storage.authorizations.save(
      {
        id: 'link',
        app_id: 'a',
        account_id: null,
        scope: 'integration.store integration.order integration.inventory',
      },
      [1n, 2n, 3n, 4n],
      'replace',
      start,
    )
    const text = JSON.stringify(sampleStore({ id: 4 }))
    await createRecordWriter({ storage: world.storage, clock }).write([{ line: 1, text }])
    await push(4)
    world.now += 3500
    await node.tick()
    await settled()
    assert.deepEqual(node.sent, [])
    world.now += 200
    await node.tick()
    await until(() => node.sent.length === 1)
    assert.deepEqual(node.sent, [4])
  })
})
