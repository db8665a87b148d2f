import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { scope as every } from '../storage/suite/webhooks/fixtures.ts'
import { ok, useNodes } from './harness.ts'

/** What happens to store.changed when an app gets or loses the scopes that read orders and items. */

const store = 'integration.store'

suite('webhooks and scopes', () => {
  const world = useNodes([1, 2])
  const { startNode, push, settled, until, log } = world

  /** Links store 1 with other scopes, as the operator does. */
  const link = (scope: string) => {
    const given = { id: 'link', app_id: 'a', account_id: null, scope }
    return world.storage.authorizations.save(given, [1n], 'add', world.now)
  }

  test('without such a scope nothing of the store is sent; with it, every process finds the newest seq', async () => {
    await link(store)
    // It is killed during its second attempt.
    const killed = startNode(sent => (sent.length === 1 ? ok : null))
    const other = startNode()
    await push(1, 2)
    // Long after the sweeps have passed the change.
    for (const seconds of [0, 1, 1200, 11, 11]) {
      world.now += seconds
      await killed.tick()
      await until(async () => (await log()).length === 1)
      await other.tick()
      await settled()
    }
    assert.deepEqual([killed.sent, other.sent], [[2], []])
    await link(every)
    await killed.tick()
    await other.tick()
    await until(() => killed.sent.length === 2)
    world.now += 16
    await other.tick()
    await until(() => other.sent.length === 1)
    assert.deepEqual([killed.sent, other.sent], [[2, 1], [1]])
  })

  test('a scope that is visible later than its version is found too', async () => {
    await link(store)
    const node = startNode()
    await push(1)
    await node.tick()
    world.now += 1200
    await node.tick()
    await link(every)
    // As on Citus, where the row of the endpoint may be visible before that of the store.
    const { due } = world.storage.webhooks
    world.storage.webhooks.due = async () => []
    await node.tick()
    world.storage.webhooks.due = due
    await node.tick()
    world.now += 16
    await node.tick()
    await until(() => node.sent.length === 1)
  })

  test('a scope that is lost while a store waits in the queue ends the wait', async () => {
    const node = startNode()
    await push(1)
    await node.tick()
    await until(async () => (await log()).length === 1)
    // At most one attempt a second: it waits.
    await push(1, 2)
    await node.tick()
    await link(store)
    world.now += 1.1
    await node.tick()
    await until(() => node.sent.includes(2))
    await settled()
    assert.deepEqual(node.sent, [1, 2])
  })

  test('a scope that is lost between the lease and the attempt prevents the attempt', async () => {
    const { webhooks } = world.storage
    const { active } = webhooks
    let scope = store
    webhooks.active = async ids => (await active(ids)).map(one => (ids ? { ...one, scope } : one))
    const node = startNode()
    await push(1)
    await node.tick()
    await settled()
    assert.deepEqual(node.sent, [])
    scope = every
    world.now += 16
    await node.tick()
    await until(() => node.sent.length === 1)
  })
})
