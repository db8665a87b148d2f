import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ActiveEndpoint } from '../../src/storage/port/index.ts'
import { ActiveEndpoints } from '../../src/domain/webhooks/active-endpoints.ts'
import { EndpointQueue } from '../../src/domain/webhooks/queue.ts'

const later = 5000
const found = (...store_ids: bigint[]) =>
  store_ids.map(store_id => ({ endpoint_id: 'we_1', store_id, next_at_ms: 0 }))
const ids = (queue: EndpointQueue) => queue.take(10, 0).map(({ store_id }) => store_id)

suite('the queue of an endpoint', () => {
  test('the next comparison begins at the first store that had no place', () => {
    const queue = new EndpointQueue(3)
    queue.add(8n, later, null)
    queue.add(9n, later, null)
    queue.addCompared(found(1n, 2n, 3n), queue.beginComparison())
    assert.deepEqual(ids(queue), [1n])
    assert.equal(queue.isPartial, true)
    assert.equal(queue.beginComparison().after, 1n)
    queue.addCompared(found(2n, 3n), queue.beginComparison())
    assert.deepEqual(ids(queue), [2n])
    assert.equal(queue.beginComparison().after, 2n)
  })

  test('without any place the next comparison begins where this one began', () => {
    const queue = new EndpointQueue(1)
    queue.add(9n, later, null)
    for (const _ of [1, 2]) queue.addCompared(found(1n), queue.beginComparison())
    assert.deepEqual([queue.beginComparison().after, queue.isPartial], [null, true])
  })

  test('of two comparisons at once that reach the last store, none counts as complete', () => {
    const queue = new EndpointQueue(2)
    queue.addCompared(found(1n, 2n), queue.beginComparison())
    ids(queue)
    const comparisons = [queue.beginComparison(), queue.beginComparison()]
    for (const comparison of comparisons) queue.addCompared(found(3n), comparison)
    assert.equal(queue.isPartial, true)
    ids(queue)
    queue.addCompared([], queue.beginComparison())
    assert.equal(queue.isPartial, false)
  })

  test('a store that is refused during a comparison makes another one necessary', () => {
    const queue = new EndpointQueue(2)
    queue.close()
    const comparison = queue.beginComparison()
    queue.add(5n, 0, null)
    queue.addCompared([], comparison)
    assert.equal(queue.isPartial, true)
  })
})

test('while half of all slots are in use, an endpoint gets one, so that slow endpoints leave slots to the others', () => {
  const active = new ActiveEndpoints(10)
  const endpoint = (id: string) => ({ id, failures: 0, retry_at_ms: 0 }) as ActiveEndpoint
  const slow = Array.from({ length: 200 }, (_, i) => endpoint(`slow ${i}`))
  const good = endpoint('good')
  active.replace([...slow, good])
  assert.equal(active.freeSlots(good, 0), 4)
  for (const each of slow) {
    while (active.freeSlots(each, 0) > 0) active.occupy(each.id)
  }
  assert.ok(active.running < 500, `${active.running} requests`)
  assert.equal(active.freeSlots(good, 0), 1)
})
