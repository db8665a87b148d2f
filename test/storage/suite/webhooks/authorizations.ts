import assert from 'node:assert/strict'
import type { AuditEntry } from '../../../../src/storage/port/index.ts'
import { check, type Open, store, write } from '../fixtures.ts'
import { allow, endpoint, eventsOf, merchant, prepare } from './fixtures.ts'

const entry: AuditEntry = {
  id: 'entry',
  at: 50,
  action: 'access_allowed',
  actor_kind: 'account',
  actor_id: 'ada',
  actor_name: merchant,
  account_id: 'ada',
  app_id: 'a',
  store_ids: [],
  detail: null,
  address: null,
  request_id: null,
}

const granted = 'authorization.granted'
const changed = 'authorization.changed'
const revoked = 'authorization.revoked'

export function authorizationEventTests(open: Open): void {
  check('each change of an authorization is one event with the next revision', open, async storage => {
    await prepare(storage)
    await storage.webhooks.create(endpoint('we_1'), 10)
    await allow(storage, [2n, 1n])
    await allow(storage, [2n, 3n])
    await allow(storage, [1n], 'add', 'other')
    await storage.authorizations.revokeApp('a', [3n], 60)
    await storage.authorizations.revoke('grant', 70)
    assert.deepEqual(await eventsOf(storage, 'we_1'), [
      [granted, 1, [1, 2]],
      [changed, 2, [2, 3]],
      [changed, 3, [1, 2, 3]],
      [changed, 4, [1, 2]],
      [revoked, 5, [1, 2]],
    ])
    const deliveries = await storage.webhooks.deliveries('we_1', 100)
    assert.equal(new Set(deliveries.map(({ id }) => id)).size, 5)
    assert.deepEqual(JSON.parse(deliveries.at(-1)?.body ?? '').timestamp, '1970-01-01T00:00:50.000Z')
  })

  check(
    'what changes nothing is no event: the same stores again, a second revocation',
    open,
    async storage => {
      await prepare(storage)
      await storage.webhooks.create(endpoint('we_1'), 10)
      await allow(storage, [1n])
      await allow(storage, [1n])
      await allow(storage, [1n], 'add')
      await allow(storage, [1n, 99n])
      await storage.authorizations.revokeApp('a', [2n], 60)
      await storage.authorizations.revoke('grant', 70)
      await storage.authorizations.revoke('grant', 80)
      await storage.authorizations.revokeApp('a', null, 90)
      assert.deepEqual(await eventsOf(storage, 'we_1'), [
        [granted, 1, [1]],
        [revoked, 2, [1]],
      ])
    },
  )

  check('consent, the operator’s revocation and a disabled account are events too', open, async storage => {
    await prepare(storage)
    await storage.webhooks.create(endpoint('we_1'), 10)
    const request = { hash: 'h', expires_at: 1000 }
    const grant = {
      id: 'x',
      app_id: 'a',
      account_id: 'ada',
      scope: 'integration.store integration.order integration.inventory',
      merchant,
    }
    assert.equal(await storage.decisions.allow(request, grant, [1n], 50, entry), 'recorded')
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
    await storage.accounts.setDisabled('ada', 60, 60)
    await storage.authorizations.revokeApp('a', null, 70)
    const events = (await eventsOf(storage, 'we_1')).map(event => JSON.stringify(event))
    const expected = [
      [granted, 1, [1]],
      [granted, 1, [2]],
      [revoked, 2, [1]],
      [revoked, 2, [2]],
    ]
    assert.deepEqual(
      events.toSorted(),
      expected.map(event => JSON.stringify(event)),
    )
  })

  check('other scopes for the same stores are a change; the same scopes are none', open, async storage => {
    await prepare(storage)
    await storage.webhooks.create(endpoint('we_1'), 10)
    const grant = { id: 'x', app_id: 'a', account_id: 'ada', scope: 'integration.store' }
    const wider = { ...grant, scope: 'integration.store integration.order' }
    for (const each of [grant, grant, wider, wider])
      await storage.authorizations.save(each, [1n], 'replace', 50)
    assert.deepEqual(await eventsOf(storage, 'we_1'), [
      [granted, 1, [1]],
      [changed, 2, [1]],
    ])
  })

  check('a store that leaves its merchant is a change; the operator’s link stays', open, async storage => {
    await prepare(storage)
    await storage.webhooks.create(endpoint('we_1'), 10)
    await allow(storage, [1n, 2n, 3n])
    await storage.authorizations.save(
      {
        id: 'link',
        app_id: 'a',
        account_id: null,
        scope: 'integration.store integration.order integration.inventory',
      },
      [1n],
      'add',
      50,
    )
    await write(storage, { stores: [1n, 2n].map(id => store(id, { merchant: 'bob@example.com' })) })
    await write(storage, { stores: [store(3n, { merchant, name: 'New name' })] })
    const events = await eventsOf(storage, 'we_1')
    assert.deepEqual(events.at(-1), [changed, 2, [3]])
    assert.equal(events.length, 3)
    assert.deepEqual(await storage.authorizations.storeIds('link'), [1n])
    assert.deepEqual(await storage.authorizations.storeIds('grant'), [3n])
  })

  check('events go to the enabled endpoints of the app that want them', open, async storage => {
    await prepare(storage)
    await storage.webhooks.create(endpoint('we_1', { events: ['authorization.revoked'] }), 10)
    await storage.webhooks.create(endpoint('we_2', { events: ['authorization.granted'] }), 10)
    await storage.webhooks.create(endpoint('we_3'), 10)
    await storage.webhooks.setDisabled('we_3', { at: 40, reason: 'by_hand' })
    await allow(storage, [1n])
    await storage.authorizations.revoke('grant', 70)
    assert.deepEqual(await eventsOf(storage, 'we_1'), [[revoked, 2, [1]]])
    assert.deepEqual(await eventsOf(storage, 'we_2'), [[granted, 1, [1]]])
    assert.deepEqual(await eventsOf(storage, 'we_3'), [])
  })

  check(
    'of parallel changes each has its own revision, and the last event is the state',
    open,
    async storage => {
      await prepare(storage)
      await storage.webhooks.create(endpoint('we_1'), 10)
      await allow(storage, [1n])
      const sets = [[1n], [2n], [3n], [1n, 2n], [2n, 3n], [1n, 2n, 3n]]
      await Promise.all([
        ...sets.map(store_ids => allow(storage, store_ids, 'change')),
        ...[1n, 2n].map(id => write(storage, { stores: [store(id, { merchant: 'bob@example.com' })] })),
      ])
      const events = (await eventsOf(storage, 'we_1')) as [string, number, number[]][]
      assert.deepEqual(
        events.map(([, revision]) => revision),
        events.map((_, i) => i + 1),
      )
      const left = (await storage.authorizations.storeIds('grant')).map(Number)
      assert.deepEqual(events.at(-1)?.[2], left)
      assert.ok(!left.includes(1) && !left.includes(2))
    },
  )
}
