import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Delivery } from '../../src/domain/webhooks/delivery.ts'
import type { Send } from '../../src/domain/webhooks/send.ts'
import { ok, useNodes } from './harness.ts'

/** What a process takes from its queue, what becomes of a lease, and what it finishes before it ends. */

suite('leases of webhooks', () => {
  const all = [1, 2, 3, 4, 5, 6]
  const world = useNodes(all)
  const { startNode, push, settled, until, log } = world
  const moves = all.map(id => ({ store_id: BigInt(id), seq: 0, orders_seq: 0, items_seq: 0 }))

  for (const [name, change] of [
    ['during their attempts', () => {}],
    ['between their attempts', delivery => delivery.moved(moves)],
  ] as [string, (delivery: Delivery) => void][]) {
    test(`when more stores change all the time than fit the queue, each is sent: ${name}`, async () => {
      const sent: number[] = []
      const send: Send = async (_url, _headers, body) => {
        const { store_id } = JSON.parse(body).data
        sent.push(store_id)
        await push(store_id)
        return ok
      }
      const { delivery, tick } = startNode(() => ok, { send, maxQueued: 4 })
      await push(...all)
      // Four and then two of them fit: four times each.
      for (let round = 0; round < 8; round++) {
        const before = sent.length
        await tick()
        await until(async () => sent.length > before && (await log()).length === sent.length)
        change(delivery)
        world.now += 1.1
      }
      const counts = all.map(id => sent.filter(store_id => store_id === id).length)
      assert.ok(Math.min(...counts) >= 3, String(counts))
    })
  }

  test('a lease that is refused holds no slot: the next stores are sent', async () => {
    await push(...all)
    await startNode().tick()
    await until(async () => (await log()).length === 6)
    await push(...all)
    // At most one attempt a second: both processes keep all of them for later.
    const first = startNode(() => null)
    const second = startNode()
    await first.tick()
    await second.tick()
    world.now += 1.2
    await first.tick()
    assert.equal(first.sent.length, 4, 'as many as it may send at a time')
    await second.tick()
    await until(() => second.sent.length === 2)
    assert.deepEqual([...first.sent, ...second.sent].sort(), all)
  })

  test('after a rotation both secrets sign from the next attempt on', async () => {
    const signatures: string[] = []
    const send: Send = async (_url, headers) => {
      signatures.push(headers['webhook-signature'] ?? '')
      return ok
    }
    const { delivery, tick } = startNode(() => ok, { send })
    await tick()
    await world.storage.webhooks.rotateSecret('we_1', 'whsec_bmV3', world.now + 60)
    await push(1)
    // Between two rounds, in which the process reads the endpoints.
    delivery.moved(moves)
    await until(() => signatures.length === 1)
    assert.equal(signatures[0]?.split(' ').length, 2)
  })

  test('close begins nothing, and waits for the attempts under way', async () => {
    await push(1, 2)
    const { delivery, sent, tick } = startNode(() => null)
    await tick()
    assert.deepEqual(sent, [1, 2])
    await push(3)
    let isClosed = false
    const closing = delivery.close().then(() => {
      isClosed = true
    })
    await tick()
    await settled()
    assert.deepEqual([isClosed, sent], [false, [1, 2]])
    world.answerAll(ok)
    await closing
    const states = (await log()).map(({ state }) => state)
    assert.deepEqual(
      [states, sent],
      [
        ['delivered', 'delivered'],
        [1, 2],
      ],
    )
  })

  for (const [name, begin] of [
    ['a round', node => void node.tick()],
    ['a change that it has stored', node => node.delivery.moved(moves)],
  ] as [string, (node: ReturnType<typeof startNode>) => void][]) {
    test(`close waits for a lease under way, and for what it sends: ${name}`, async () => {
      const { storage } = world
      const leasing = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      const lease: typeof storage.webhooks.lease = async (...given) => {
        leasing.resolve()
        await answered.promise
        return storage.webhooks.lease(...given)
      }
      const slow = { ...storage, webhooks: { ...storage.webhooks, lease } }
      const node = startNode(() => ok, { storage: slow })
      await node.tick()
      await push(1)
      begin(node)
      await leasing.promise
      let isClosed = false
      const closing = node.delivery.close().then(() => {
        isClosed = true
      })
      await settled()
      assert.equal(isClosed, false)
      answered.resolve()
      await closing
      const states = (await log()).map(({ state }) => state)
      assert.deepEqual([states, node.sent], [['delivered'], [1]])
    })
  }
})
