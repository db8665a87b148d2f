import assert from 'node:assert/strict'
import { check, type Open } from '../fixtures.ts'
import { endpoint, prepare, scope } from './fixtures.ts'

export function endpointTests(open: Open): void {
  check('an endpoint is stored, listed, rotated, disabled, enabled and removed', open, async storage => {
    await prepare(storage)
    const { webhooks } = storage
    assert.equal(await webhooks.create(endpoint('we_1'), 10), true)
    assert.deepEqual(await webhooks.find('we_1'), endpoint('we_1'))
    assert.equal(await webhooks.rotateSecret('we_1', 'whsec_bmV3', 500), true)
    assert.equal(await webhooks.rotateSecret('none', 'whsec_bmV3', 500), false)
    const rotated = {
      ...endpoint('we_1'),
      secret: 'whsec_bmV3',
      previous_secret: 'whsec_c2VjcmV0',
      previous_until: 500,
    }
    assert.deepEqual(await webhooks.ofApp('a'), [rotated])
    assert.deepEqual(await webhooks.active(), [{ ...rotated, scope, access_version: 0 }])
    assert.equal(await webhooks.setDisabled('we_1', { at: 60, reason: 'gone' }), true)
    assert.equal(await webhooks.setDisabled('we_1', { at: 61, reason: 'by_hand' }), false)
    assert.deepEqual(await webhooks.find('we_1'), { ...rotated, disabled_at: 60, reason: 'gone' })
    assert.deepEqual(await webhooks.active(), [])
    assert.equal(await webhooks.setDisabled('we_1', null), true)
    assert.deepEqual(await webhooks.find('we_1'), rotated)
    assert.equal(await webhooks.remove('we_1'), true)
    assert.equal(await webhooks.remove('we_1'), false)
    assert.equal(await webhooks.find('we_1'), null)
  })

  check(
    'an app has at most as many endpoints as the limit, also under parallel calls',
    open,
    async storage => {
      await prepare(storage)
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, i) => storage.webhooks.create(endpoint(`we_${i}`), 3)),
      )
      assert.equal(made.filter(Boolean).length, 3)
      assert.equal((await storage.webhooks.ofApp('a')).length, 3)
    },
  )

  check('endpoints of a paused or disabled app are not active', open, async storage => {
    await prepare(storage)
    const { webhooks, apps } = storage
    await webhooks.create(endpoint('we_1'), 10)
    assert.equal(await webhooks.setPaused('a', true), true)
    assert.equal(await webhooks.setPaused('a', true), false)
    assert.equal(await webhooks.isPaused('a'), true)
    assert.deepEqual(await webhooks.active(), [])
    await webhooks.setPaused('a', false)
    assert.equal((await webhooks.active()).length, 1)
    await apps.setDisabled('a', 5)
    assert.deepEqual(await webhooks.active(), [])
  })

  check('of parallel failures one counts; a success ends the backoff', open, async storage => {
    await prepare(storage)
    const { webhooks } = storage
    await webhooks.create(endpoint('we_1'), 10)
    const failed = { retry_at_ms: 5000, at: 60, disable: null }
    const health = { endpoint_id: 'we_1', failures: 0, failed }
    const counted = await Promise.all([1, 2, 3].map(() => webhooks.report(health)))
    assert.equal(counted.filter(Boolean).length, 1)
    await webhooks.report({ ...health, failures: 1, failed: { ...failed, retry_at_ms: 9000, at: 70 } })
    const failing = { ...endpoint('we_1'), failures: 2, failing_since: 60, retry_at_ms: 9000 }
    assert.deepEqual(await webhooks.find('we_1'), failing)
    const shown = { ...failing, app_name: 'App a', problem: null }
    assert.deepEqual((await webhooks.summary()).failing, [shown])
    assert.equal(await webhooks.report({ ...health, failures: 2, failed: null }), true)
    assert.deepEqual(await webhooks.find('we_1'), endpoint('we_1'))
    await webhooks.report({ ...health, failed: { ...failed, disable: 'gone' } })
    const gone = await webhooks.find('we_1')
    assert.deepEqual([gone?.disabled_at, gone?.reason], [60, 'gone'])
  })

  check('the sender is paused and resumed, and its watermark only rises', open, async storage => {
    const { webhooks } = storage
    assert.deepEqual(await webhooks.sender(), { paused: false, watermark: 0 })
    assert.equal(await webhooks.resume(), false)
    await webhooks.setWatermark(20)
    await webhooks.setWatermark(10)
    assert.deepEqual(await webhooks.sender(), { paused: false, watermark: 20 })
    assert.deepEqual([await webhooks.stop(), await webhooks.stop()], [true, false])
    assert.deepEqual(await webhooks.sender(), { paused: true, watermark: 20 })
    assert.deepEqual([await webhooks.resume(), await webhooks.resume()], [true, false])
  })
}
