import assert from 'node:assert/strict'
import type { Attempt, LeasedPosition, Storage, WebhookDelivery } from '../../../../src/storage/port/index.ts'
import { check, type Open, store, write } from '../fixtures.ts'
import { allow, endpoint, move, prepare } from './fixtures.ts'

const lease = (id: string, now_ms: number) => ({ id, now_ms, until_ms: now_ms + 30_000 })

/** The stores that are due for an endpoint. */
async function due({ webhooks, changes }: Storage, now_ms = 1000, endpoint_id = 'we_1'): Promise<bigint[]> {
  const found = await webhooks.due({ endpoint_id, after: null }, await changes.history(), now_ms, 100)
  return found.map(({ store_id }) => store_id)
}

const leaseStores = async ({ webhooks, changes }: Storage, store_ids: bigint[], id: string, now_ms = 1000) =>
  webhooks.lease(
    store_ids.map(store_id => ({ endpoint_id: 'we_1', store_id })),
    await changes.history(),
    lease(id, now_ms),
  )

const outcome = { duration_ms: 5, status: 200, problem: null, answer: 'ok' }

const attempt = async (
  { changes }: Storage,
  { endpoint_id, store_id, seq }: LeasedPosition,
  lease_id: string,
  over: Partial<Attempt> = {},
): Promise<Attempt> => ({
  endpoint_id,
  id: `msg_${store_id}_${seq}`,
  type: 'store.changed',
  store_id,
  body: '{}',
  created_at_ms: 1000,
  lease: lease_id,
  position: { history: await changes.history(), seq },
  state: 'delivered',
  attempted_at_ms: 1000,
  ...outcome,
  ...over,
})

const first = <T>(list: readonly T[]): T => list[0] as T

async function begin(storage: Storage): Promise<void> {
  await prepare(storage)
  await allow(storage, [1n, 2n])
  await storage.webhooks.create(endpoint('we_1'), 10)
}

export function sendingTests(open: Open): void {
  check('a new endpoint, and newly granted access, start at the current seq', open, async storage => {
    await prepare(storage)
    await move(storage, 1n)
    await move(storage, 2n)
    await allow(storage, [1n])
    await storage.webhooks.create(endpoint('we_1'), 10)
    await allow(storage, [1n, 2n])
    assert.deepEqual(await due(storage), [])
    await move(storage, 2n)
    await move(storage, 1n)
    await move(storage, 3n)
    assert.deepEqual(await due(storage), [1n, 2n])
  })

  check('what is due is found by store, by seq and by endpoint, up to a limit', open, async storage => {
    await begin(storage)
    const { webhooks, changes } = storage
    await move(storage, 1n)
    await move(storage, 2n)
    const history = await changes.history()
    const pair = (store_id: bigint) => ({ endpoint_id: 'we_1', store_id, next_at_ms: 0 })
    assert.deepEqual(await webhooks.due({ store_ids: [2n, 3n] }, history, 1, 10), [pair(2n)])
    assert.deepEqual(await webhooks.due({ above: 0 }, history, 1, 10), [pair(1n), pair(2n)])
    assert.deepEqual(await webhooks.due({ above: 10 }, history, 1, 10), [])
    const after = (store_id: bigint | null, limit: number) =>
      webhooks.due({ endpoint_id: 'we_1', after: store_id }, history, 1, limit)
    assert.deepEqual(await after(null, 1), [pair(1n)])
    assert.deepEqual(await after(1n, 10), [pair(2n)])
    assert.deepEqual(await after(2n, 10), [])
  })

  check('an endpoint that is called is found with its newest secret', open, async storage => {
    await begin(storage)
    const { webhooks } = storage
    await webhooks.create(endpoint('we_2'), 10)
    await webhooks.rotateSecret('we_1', 'whsec_bmV3', 500)
    const [found, ...others] = await webhooks.active(['we_1', 'none'])
    assert.deepEqual([found?.id, found?.secret, others.length], ['we_1', 'whsec_bmV3', 0])
    await webhooks.setDisabled('we_1', { at: 1, reason: 'by_hand' })
    assert.deepEqual(await webhooks.active(['we_1']), [])
    assert.deepEqual(
      (await webhooks.active()).map(({ id }) => id),
      ['we_2'],
    )
  })

  check('a lease is given once, and again when it has expired', open, async storage => {
    await begin(storage)
    await move(storage, 1n)
    const leases = await Promise.all(['x', 'y', 'z'].map(id => leaseStores(storage, [1n, 2n], id)))
    assert.equal(leases.flat().length, 1)
    const { webhooks, changes } = storage
    assert.deepEqual(
      await webhooks.due({ endpoint_id: 'we_1', after: null }, await changes.history(), 1000, 10),
      [{ endpoint_id: 'we_1', store_id: 1n, next_at_ms: 31_000 }],
    )
    assert.deepEqual(await leaseStores(storage, [1n], 'sooner', 30_999), [])
    assert.equal((await leaseStores(storage, [1n], 'later', 31_000)).length, 1)
  })

  check(
    'a delivered position is not due before the store moves, and then after a second',
    open,
    async storage => {
      await begin(storage)
      const { webhooks } = storage
      await move(storage, 1n)
      const leased = first(await leaseStores(storage, [1n], 'x'))
      assert.deepEqual(await webhooks.settle([await attempt(storage, leased, 'x')]), [])
      assert.deepEqual(await due(storage), [])
      await move(storage, 1n)
      assert.deepEqual(await due(storage), [1n])
      assert.deepEqual(await leaseStores(storage, [1n], 'y', 1999), [])
      assert.equal(first(await leaseStores(storage, [1n], 'y', 2000)).seq, leased.seq + 1)
    },
  )

  check('a store that moves during an attempt is reported when the attempt ends', open, async storage => {
    await begin(storage)
    const { webhooks } = storage
    await move(storage, 1n)
    const leased = first(await leaseStores(storage, [1n], 'x'))
    await move(storage, 1n)
    assert.deepEqual(await webhooks.settle([await attempt(storage, leased, 'x')]), [
      { endpoint_id: 'we_1', store_id: 1n, next_at_ms: 2000 },
    ])
  })

  check('an attempt whose lease was taken over moves nothing', open, async storage => {
    await begin(storage)
    await move(storage, 1n)
    const leased = first(await leaseStores(storage, [1n], 'x'))
    await leaseStores(storage, [1n], 'y', 31_000)
    await storage.webhooks.settle([await attempt(storage, leased, 'x')])
    assert.deepEqual(await due(storage, 61_000), [1n])
  })

  check(
    'a failed attempt leaves its position due; attempts with the same id are one entry',
    open,
    async storage => {
      await begin(storage)
      const { webhooks } = storage
      await move(storage, 1n)
      assert.equal(await webhooks.wasCalled('we_1'), false)
      for (const [now, id] of [
        [1000, 'x'],
        [3000, 'y'],
      ] as const) {
        const leased = first(await leaseStores(storage, [1n], id, now))
        const failed = { state: 'failed', attempted_at_ms: now, status: 500, problem: 'HTTP 500' } as const
        await webhooks.settle([await attempt(storage, leased, id, failed)])
      }
      assert.deepEqual(await due(storage, 4000), [1n])
      const [entry, ...others] = await webhooks.deliveries('we_1', 10)
      assert.equal(others.length, 0)
      assert.equal(await webhooks.wasCalled('we_1'), true)
      assert.deepEqual(
        [
          entry?.state,
          entry?.attempts,
          entry?.attempted_at_ms,
          entry?.created_at_ms,
          entry?.status,
          entry?.answer,
        ],
        ['failed', 2, 3000, 1000, 500, 'ok'],
      )
    },
  )

  check(
    'revoked access, a disabled endpoint, a paused app or another event: nothing is due',
    open,
    async storage => {
      await begin(storage)
      const { webhooks, authorizations } = storage
      await webhooks.create(endpoint('we_2', { events: ['authorization.granted'] }), 10)
      await move(storage, 1n)
      await move(storage, 2n)
      assert.deepEqual(await due(storage, 1000, 'we_2'), [])
      await authorizations.revokeApp('a', [1n], 60)
      assert.deepEqual(await due(storage), [2n])
      assert.deepEqual(await leaseStores(storage, [1n], 'x'), [])
      await webhooks.setDisabled('we_1', { at: 1, reason: 'by_hand' })
      assert.deepEqual(await due(storage), [])
      await webhooks.setDisabled('we_1', null)
      await webhooks.setPaused('a', true)
      assert.deepEqual(await due(storage), [])
      assert.deepEqual(await leaseStores(storage, [2n], 'x'), [])
      await webhooks.setPaused('a', false)
      assert.deepEqual(await due(storage), [2n])
    },
  )

  check(
    'access that ends and comes back starts at the current seq, unless another link kept it',
    open,
    async storage => {
      await begin(storage)
      await storage.authorizations.save(
        {
          id: 'link',
          app_id: 'a',
          account_id: null,
          scope: 'integration.store integration.order integration.inventory',
        },
        [2n],
        'add',
        50,
      )
      await move(storage, 1n)
      await move(storage, 2n)
      await storage.authorizations.revoke('grant', 60)
      await allow(storage, [1n, 2n], 'replace', 'again')
      assert.deepEqual(await due(storage), [2n])
      await write(storage, { stores: [store(2n, { merchant: 'bob@example.com' })] })
      assert.deepEqual(await due(storage), [2n], 'the operator’s link')
    },
  )

  check('in backoff nothing is due, but a lease is possible', open, async storage => {
    await begin(storage)
    await move(storage, 1n)
    await storage.webhooks.report({
      endpoint_id: 'we_1',
      failures: 0,
      failed: { retry_at_ms: 5000, at: 1, disable: null },
    })
    assert.deepEqual(await due(storage, 4999), [])
    assert.deepEqual(await due(storage, 5000), [1n])
  })

  check('a new history makes every store due', open, async storage => {
    await begin(storage)
    await storage.changes.renewHistory()
    assert.deepEqual(await due(storage), [1n, 2n])
  })

  check('a missing position is added, and is due', open, async storage => {
    await begin(storage)
    await storage.webhooks.complete('we_1')
    assert.deepEqual(await due(storage), [])
    // Allowed before the store exists, so that there is no seq to begin at.
    const link = {
      id: 'link',
      app_id: 'a',
      account_id: null,
      scope: 'integration.store integration.order integration.inventory',
    }
    await storage.authorizations.save(link, [9n], 'replace', 50)
    await write(storage, { stores: [store(9n)] })
    await move(storage, 9n)
    assert.deepEqual(await due(storage), [])
    await storage.webhooks.complete('we_1')
    assert.deepEqual(await due(storage), [9n])
  })

  check('what is resent during its attempt is sent again', open, async storage => {
    await begin(storage)
    const { webhooks } = storage
    const id = 'msg_1'
    await webhooks.add({
      endpoint_id: 'we_1',
      id,
      type: 'webhook.test',
      store_id: null,
      body: '{}',
      created_at_ms: 1,
    })
    const leased = () => webhooks.leasePending(['we_1'], lease('x', 100_000), 10)
    const end = (event: WebhookDelivery): Attempt => ({
      ...event,
      lease: 'x',
      position: null,
      state: 'delivered',
      attempted_at_ms: 100_000,
      ...outcome,
    })
    const event = first(await leased())
    await webhooks.resend('msg_1')
    await webhooks.settle([end(event)])
    const resent = await webhooks.delivery('msg_1')
    assert.deepEqual([resent?.state, resent?.attempts], ['pending', 1])
    await webhooks.settle([end(first(await leased()))])
    assert.deepEqual(await leased(), [])
    assert.equal((await webhooks.delivery('msg_1'))?.state, 'delivered')
  })

  check('an endpoint in trouble is shown with why its newest failed attempt failed', open, async storage => {
    await begin(storage)
    const { webhooks } = storage
    await move(storage, 1n)
    const [leased] = await leaseStores(storage, [1n], 'x')
    assert.ok(leased)
    for (const [id, attempted_at_ms, problem] of [
      ['older', 2000, 'HTTP 500'],
      ['newest', 3000, 'HTTP 503'],
      ['oldest', 1000, 'HTTP 502'],
      ['success', 4000, null],
    ] as const) {
      const state = problem === null ? 'delivered' : 'failed'
      await webhooks.settle([await attempt(storage, leased, 'x', { id, attempted_at_ms, problem, state })])
    }
    // Refused before any attempt: the app may not read this store.
    const event = { endpoint_id: 'we_1', id: 'refused', type: 'store.changed', store_id: 99n } as const
    await webhooks.add({ ...event, body: '{}', created_at_ms: 5000 })
    assert.deepEqual(await webhooks.leasePending(['we_1'], lease('y', 6000), 1), [])
    assert.equal((await webhooks.delivery('refused'))?.state, 'failed')
    await webhooks.setDisabled('we_1', { at: 5, reason: 'by_hand' })
    const { failing } = await webhooks.summary()
    assert.deepEqual(
      failing.map(({ id, app_name, problem }) => [id, app_name, problem]),
      [['we_1', 'App a', 'HTTP 503']],
    )
  })

  check('pending events are leased oldest first, and stay until they are delivered', open, async storage => {
    await begin(storage)
    const { webhooks, authorizations } = storage
    await allow(storage, [2n], 'change')
    await authorizations.revoke('grant', 60)
    const pending = await webhooks.leasePending(['we_1', 'none'], lease('x', 100_000), 1)
    assert.deepEqual(
      pending.map(({ type }) => type),
      ['authorization.changed'],
    )
    const event = first(pending)
    assert.deepEqual(
      (await webhooks.leasePending(['we_1'], lease('y', 100_000), 10)).map(({ type }) => type),
      ['authorization.revoked'],
    )
    const done = (state: 'pending' | 'delivered'): Attempt => ({
      ...event,
      lease: 'x',
      position: null,
      state,
      attempted_at_ms: 100_000,
      ...outcome,
    })
    await webhooks.settle([done('pending')])
    assert.equal((await webhooks.leasePending(['we_1'], lease('x', 101_000), 10)).length, 1)
    await webhooks.settle([done('delivered')])
    assert.equal((await webhooks.delivery(event.id))?.attempts, 2)
    assert.deepEqual(await webhooks.leasePending(['we_1'], lease('x', 102_000), 10), [])
    // Of an endpoint that was deleted at the same moment.
    await webhooks.add({ ...event, endpoint_id: 'none', id: 'orphan' })
    assert.deepEqual((await webhooks.summary()).deliveries, { pending: 1, delivered: 1, failed: 0 })
    assert.equal(await webhooks.oldestPending(), 60_000)
    const failed = { retry_at_ms: 5000, at: 60, disable: null }
    await webhooks.report({ endpoint_id: 'we_1', failures: 0, failed })
    assert.equal(await webhooks.oldestPending(), null, 'its endpoint fails')
    await webhooks.report({ endpoint_id: 'we_1', failures: 1, failed: null })
    await webhooks.setPaused('a', true)
    assert.equal(await webhooks.oldestPending(), null, 'its app is paused')
  })

  check(
    'in backoff only what a person asks for is sent, and only for stores that are allowed',
    open,
    async storage => {
      await begin(storage)
      const { webhooks, authorizations } = storage
      await allow(storage, [1n], 'change')
      await webhooks.report({
        endpoint_id: 'we_1',
        failures: 0,
        failed: { retry_at_ms: 900_000, at: 1, disable: null },
      })
      const asked = { endpoint_id: 'we_1', body: '{}' }
      await webhooks.add({ ...asked, id: 'msg_store', type: 'store.changed', store_id: 2n, created_at_ms: 1 })
      await webhooks.add({ ...asked, id: 'msg_test', type: 'webhook.test', store_id: null, created_at_ms: 2 })
      const ids = async (found: Promise<WebhookDelivery[]>) => (await found).map(({ id }) => id)
      const leaseOne = () => ids(webhooks.leasePending(['we_1'], lease('x', 100_000), 1))
      // The one that is not allowed ends, and does not keep the others from being sent.
      assert.deepEqual([...(await leaseOne()), ...(await leaseOne())], ['msg_test'])
      assert.equal((await webhooks.delivery('msg_store'))?.state, 'failed')
      await allow(storage, [1n, 2n], 'change')
      await webhooks.resend('msg_store')
      assert.deepEqual(await leaseOne(), ['msg_store'])
      await authorizations.revoke('grant', 60)
      assert.equal((await webhooks.resend('msg_store'))?.state, 'pending')
      assert.equal(await webhooks.resend('none'), null)
    },
  )

  check('the log keeps the newest entries and every pending one', open, async storage => {
    await begin(storage)
    const { webhooks } = storage
    await move(storage, 1n)
    const leased = first(await leaseStores(storage, [1n], 'x'))
    for (let i = 0; i < 6; i++) {
      const entry = { id: `msg_${i}`, created_at_ms: i + 1 }
      await webhooks.settle([await attempt(storage, leased, 'x', entry)])
    }
    await webhooks.resend('msg_0')
    await webhooks.trim(['we_1'], 3)
    assert.deepEqual(
      (await webhooks.deliveries('we_1', 10)).map(({ id }) => id),
      ['msg_5', 'msg_4', 'msg_3', 'msg_0'],
    )
  })

  check('an endpoint that was removed leaves nothing behind', open, async storage => {
    await begin(storage)
    const { webhooks } = storage
    await move(storage, 1n)
    const leased = first(await leaseStores(storage, [1n], 'x'))
    await webhooks.remove('we_1')
    await webhooks.settle([await attempt(storage, leased, 'x')])
    assert.deepEqual(await webhooks.deliveries('we_1', 10), [])
    assert.deepEqual(await due(storage), [])
  })
}
