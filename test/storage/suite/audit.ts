import assert from 'node:assert/strict'
import type { AuditEntry, AuditQuery, Storage } from '../../../src/storage/port/index.ts'
import { account, app, check, type Open, store } from './fixtures.ts'

export const entry = (id: string, over: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: 1000,
  action: 'app_changed',
  actor_kind: 'command',
  actor_id: null,
  actor_name: 'root',
  account_id: null,
  app_id: null,
  store_ids: [],
  detail: null,
  address: null,
  request_id: null,
  ...over,
})

export const listed = async ({ audit }: Storage, query: Partial<AuditQuery> = {}) =>
  (await audit.list({ limit: 100, scan_limit: 1000, ...query })).lines.map(({ id }) => id)

export function auditTests(open: Open): void {
  check('an entry comes back whole, with the names of what it points to', open, async storage => {
    await storage.accounts.create(account('ada'))
    await storage.apps.create(app('a', { name: 'Ledger' }), null)
    const whole = entry('1', {
      action: 'access_allowed',
      actor_kind: 'account',
      actor_id: 'ada',
      actor_name: 'ada@example.com',
      account_id: 'ada',
      app_id: 'a',
      store_ids: [-(2n ** 63n), 2n ** 63n - 1n],
      detail: 'ö "x"',
      address: '::1',
      request_id: 'r1',
    })
    await storage.audit.append(whole)
    await storage.audit.append(entry('2', { account_id: 'gone', app_id: 'gone' }))
    assert.deepEqual(await storage.audit.list({ limit: 10, scan_limit: 10 }), {
      lines: [
        { ...entry('2', { account_id: 'gone', app_id: 'gone' }), account_email: null, app_name: null },
        { ...whole, account_email: 'ada@example.com', app_name: 'Ledger' },
      ],
      next: null,
    })
  })

  check('the newest come first, page by page', open, async storage => {
    for (const id of ['2', '1', '4', '3']) await storage.audit.append(entry(id))
    assert.deepEqual(await listed(storage, { limit: 3 }), ['4', '3', '2'])
    assert.deepEqual(await listed(storage, { limit: 3, before: '2' }), ['1'])
    const next = async (query: Partial<AuditQuery>) =>
      (await storage.audit.list({ limit: 9, scan_limit: 99, ...query })).next
    assert.equal(await next({ limit: 3 }), '2')
    assert.equal(await next({ limit: 4 }), null, 'there is no fifth')
    assert.equal(await next({ limit: 3, before: '2' }), null)
    assert.equal(await next({ before: '1' }), null)
  })

  check('a search scans a limited number of entries, and returns where to continue', open, async storage => {
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      await storage.audit.append(entry(id, { detail: id === '2' || id === '5' ? 'needle' : 'hay' }))
    }
    const look = async (query: Partial<AuditQuery>) => {
      const { lines, next } = await storage.audit.list({
        limit: 9,
        scan_limit: 2,
        search: 'needle',
        ...query,
      })
      return [lines.map(({ id }) => id), next]
    }
    assert.deepEqual(await look({}), [['5'], '5'])
    assert.deepEqual(await look({ before: '5' }), [[], '3'])
    assert.deepEqual(await look({ before: '3' }), [['2'], '1'])
    assert.deepEqual(await look({ before: '1' }), [[], null])
    assert.deepEqual(
      await look({ scan_limit: 4, limit: 1 }),
      [['5'], '3'],
      'more may follow what was looked at',
    )
    assert.deepEqual(await look({ scan_limit: 6, limit: 1 }), [['5'], '5'], 'one more was found')
    assert.deepEqual(await look({ scan_limit: 7 }), [['5', '2'], null])
    assert.deepEqual(await look({ scan_limit: 1, app_id: 'none' }), [[], null])
  })

  check('entries are found by whom they concern, by action and by text', open, async storage => {
    await storage.accounts.create(account('bob', { email: 'bob@shop.example' }))
    await storage.audit.append(entry('1', { actor_id: 'bob', actor_name: 'Bob@Shop.example' }))
    await storage.audit.append(entry('2', { account_id: 'bob', action: 'sign_in' }))
    await storage.apps.create(app('a', { name: 'Ledger & Sons' }), null)
    await storage.audit.append(
      entry('3', {
        app_id: 'a',
        address: '10.0.0.1',
        request_id: 'req',
        store_ids: [12n, 1001n, -7n],
        detail: 'from Bo to Cy',
      }),
    )
    assert.deepEqual(await listed(storage, { limit: 9, account_id: 'bob' }), ['2', '1'])
    assert.deepEqual(await listed(storage, { limit: 9, app_id: 'a' }), ['3'])
    assert.deepEqual(await listed(storage, { limit: 9, action: 'sign_in' }), ['2'])
    assert.deepEqual(await listed(storage, { limit: 9, search: 'SHOP' }), ['2', '1'])
    for (const search of ['10.0.0.1', 'req', 'a', '12', '1001', '-7', 'ledger &', 'FROM BO']) {
      assert.deepEqual(
        (await listed(storage, { limit: 9, search })).includes('3'),
        true,
        `${search} finds the third`,
      )
    }
    for (const search of ['%', '100', '2', '10.0.0', 're']) {
      assert.deepEqual(await listed(storage, { limit: 9, search }), [], `${search} finds nothing`)
    }
    assert.deepEqual(await listed(storage, { limit: 9, search: 'shop', account_id: 'ada' }), [])
  })

  check('a change writes its audit entry; without a change there is none', open, async storage => {
    const { accounts, sessions, apps, authorizations, keys, records, switches } = storage
    const steps: [string, () => Promise<unknown>][] = [
      ['account', () => accounts.create(account('ada'), entry('account'))],
      ['', () => accounts.create(account('twin', { email: 'ada@example.com' }), entry('no'))],
      [
        'session',
        () =>
          sessions.create(
            { hash: 'h', account_id: 'ada', password_hash: 'hash', created_at: 1, expires_at: 9 },
            entry('session'),
          ),
      ],
      [
        '',
        () =>
          sessions.create(
            { hash: 'i', account_id: 'ada', password_hash: 'other', created_at: 1, expires_at: 9 },
            entry('no'),
          ),
      ],
      ['end', () => sessions.end('h', entry('end'))],
      ['', () => sessions.end('h', entry('no'))],
      ['app', () => apps.create(app('a'), secret('s1'), entry('app'))],
      ['update', () => apps.update({ ...app('a'), name: 'New' }, [], entry('update'))],
      ['', () => apps.update(app('nothing'), [], entry('no'))],
      ['secret', () => apps.addSecret(secret('s2'), 2, entry('secret'))],
      ['retired', () => apps.removeSecret('a', 's1', entry('retired'))],
      ['', () => apps.removeSecret('a', 's2', entry('no'))],
      ['disabled', () => apps.setDisabled('a', 5, entry('disabled'))],
      ['', () => apps.setDisabled('a', 6, entry('no'))],
      ['', () => apps.setDisabled('nothing', 5, entry('no'))],
      ['', () => apps.setDisabledByOwner('a', null, entry('no'))],
      ['enabled', () => apps.setDisabled('a', null, entry('enabled'))],
      ['', () => apps.setDisabledByOwner('a', null, entry('no'))],
      ['paused', () => apps.setDisabledByOwner('a', 6, entry('paused'))],
      ['', () => apps.setDisabledByOwner('a', 7, entry('no'))],
      ['taken over', () => apps.setDisabled('a', 8, entry('taken over'))],
      [
        'moved',
        () =>
          records.write({ store_ids: [1n], items: [], orders: [] }, () => ({
            stores: [store(1n)],
            items: [],
            orders: [],
            rollups: [],
            audit: [entry('moved')],
          })),
      ],
      ['saved', () => authorizations.save(grant('g'), [1n], 'add', 5, entry('saved'))],
      ['taken', () => authorizations.revokeApp('a', [1n], 5, entry('taken'))],
      ['', () => authorizations.revokeApp('a', [1n], 5, entry('no'))],
      ['revoked', () => authorizations.revoke('g', 5, entry('revoked'))],
      ['', () => authorizations.revoke('g', 5, entry('no'))],
      ['', () => authorizations.revokeApp('a', null, 5, entry('no'))],
      [
        'keys',
        () =>
          keys.rotate(
            [{ id: 'k', use: 'sign', secret: '{}', created_at: 1, retired_at: null }],
            0,
            entry('keys'),
          ),
      ],
      ['switch', () => switches.set('sign_up', true, entry('switch'))],
      [
        'password',
        () => accounts.setPassword('ada', { password_hash: 'other', replaces: 'hash' }, entry('password')),
      ],
      ['', () => accounts.setPassword('nobody', { password_hash: 'other', replaces: 'hash' }, entry('no'))],
      ['off', () => accounts.setDisabled('ada', 7, 7, entry('off'))],
      ['', () => accounts.setDisabled('ada', 8, 8, entry('no'))],
    ]
    const told: string[] = []
    for (const [id, step] of steps) {
      await step()
      if (id !== '') told.push(id)
      assert.deepEqual(await listed(storage), [...told].sort().toReversed())
    }
  })

  check(
    'a change that fails leaves no entry behind, and an entry that fails no change',
    open,
    async storage => {
      const { audit, apps, records, switches } = storage
      await audit.append(entry('taken'))
      await assert.rejects(switches.set('sign_up', true, entry('taken')))
      assert.equal(await switches.isOn('sign_up'), false)
      await apps.create(app('a'), null)
      await assert.rejects(apps.create(app('a'), null, entry('second')))
      await assert.rejects(
        records.write({ store_ids: [1n], items: [], orders: [] }, () => {
          throw new Error('no')
        }),
      )
      assert.deepEqual(await listed(storage), ['taken'])
    },
  )

  check('a switch is off until it is turned on, and keeps its setting', open, async ({ switches }) => {
    assert.equal(await switches.isOn('sign_up'), false)
    await switches.set('sign_up', true)
    assert.equal(await switches.isOn('sign_up'), true)
    assert.equal(await switches.isOn('other'), false)
    await switches.set('sign_up', false)
    assert.equal(await switches.isOn('sign_up'), false)
  })
}

const secret = (id: string) => ({ id, app_id: 'a', hash: id, created_at: 1, last_used_at: null })
const grant = (id: string) => ({ id, app_id: 'a', account_id: 'ada', scope: 's' })
