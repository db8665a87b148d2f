import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holds } from './marks.ts'

test('a mark is found wherever an answer could name it, and not among the digits of another number', () => {
  for (const answer of [
    '{"id":7700000000001}',
    '"7700000000001"',
    '/stores/7700000000001/x',
    '7700000000001',
  ])
    assert.equal(holds(answer, '7700000000001'), true, answer)
  for (const answer of ['10.7700000000001', '17700000000001', '77000000000012', '0.027700000000001'])
    assert.equal(holds(answer, '7700000000001'), false, answer)
  assert.equal(holds('0.1 7700000000001', '7700000000001'), true)
  assert.equal(holds('of Rival’s shop', 'Rival'), true)
  assert.equal(holds('of another', 'Rival'), false)
})
