import assert from 'node:assert/strict'
import type { AccessClaim, Storage } from '../../../src/storage/port/index.ts'
import {
  account,
  app,
  check,
  entries,
  highest,
  linked,
  lowest,
  type Open,
  order,
  readOn,
  store,
  write,
} from './fixtures.ts'

/** Apps a and b, accounts ada and bob, stores 1, 2 and 3. */
async function people(storage: Storage): Promise<void> {
  for (const id of ['a', 'b']) await storage.apps.create(app(id), null)
  for (const id of ['ada', 'bob']) await storage.accounts.create(account(id))
  await write(storage, { stores: [1n, 2n, 3n].map(id => store(id, { merchant: 'ada@example.com' })) })
}

const consent = (id: string, app_id = 'a', account_id: string | null = 'ada') => ({
  id,
  app_id,
  account_id,
  scope: 'integration.store',
})
const claim = (over: Partial<AccessClaim> = {}): AccessClaim => ({
  app_id: 'a',
  authorization_id: null,
  jti: 'token',
  ...over,
})

export function accessTests(open: Open): void {
  check('a database is empty until it has an account, an app or a store', open, async storage => {
    assert.equal(await storage.isEmpty(), true)
    await write(storage, { stores: [store(1n)] })
    assert.equal(await storage.isEmpty(), false)
  })

  check(
    'an account has the apps it allows now, by name, with their stores and activations',
    open,
    async storage => {
      await people(storage)
      const { authorizations, stores } = storage
      await authorizations.save(consent('y', 'b'), [3n], 'replace', 60)
      await authorizations.save(consent('x', 'a'), [2n, 1n], 'replace', 50)
      await authorizations.save(consent('z', 'a', 'bob'), [1n], 'replace', 50)
      await authorizations.save(consent('link', 'a', null), [1n, 2n, 3n], 'replace', 50)
      await stores.activate(2n, 'a', 70)
      const of = (id: bigint, since: number, activated_at: number | null) => ({ id, since, activated_at })
      const scope = 'integration.store'
      const a = { authorization_id: 'x', app_id: 'a', app_name: 'App a', created_at: 50, scope }
      const b = { authorization_id: 'y', app_id: 'b', app_name: 'App b', created_at: 60, scope }
      assert.deepEqual(await authorizations.ofAccount('ada'), [
        { ...a, stores: [of(1n, 50, null), of(2n, 50, 70)] },
        { ...b, stores: [of(3n, 60, null)] },
      ])
      assert.deepEqual(await authorizations.ofAccount('ada', 'b'), [{ ...b, stores: [of(3n, 60, null)] }])
      await authorizations.save(consent('other', 'b', null), [1n], 'replace', 50)
      const linked = await authorizations.linksTo([1n, 2n], 'a')
      assert.deepEqual(
        linked.map(({ store_id, app_id }) => [store_id, app_id]),
        [
          [1n, 'a'],
          [2n, 'a'],
        ],
      )
      await authorizations.revoke('x', 80)
      assert.deepEqual(await authorizations.ofAccount('ada'), [{ ...b, stores: [of(3n, 60, null)] }])
      assert.deepEqual(await authorizations.ofAccount('nobody'), [])
    },
  )

  check('the facts of a token include the end of its family', open, async storage => {
    await people(storage)
    await storage.authorizations.save(consent('x'), [1n], 'replace', 50)
    await storage.revokedTokens.endFamily({ id: 'f', generation: 1 }, 100)
    const revoked = async (id: string, generation: number) => {
      const of = claim({ authorization_id: 'x', family: { id, generation } })
      const seen = [
        await storage.stores.access(of, 1n),
        await storage.stores.access(of, null),
        (await storage.stores.page({ claim: of, offset: 0, limit: 9 })).facts,
        (
          await storage.items.page({
            claim: of,
            query: { store_id: 1n, updated_after: null },
            offset: 0,
            limit: 9,
          })
        ).facts,
      ]
      return seen.map(facts => facts.token_revoked)
    }
    assert.deepEqual(await revoked('f', 0), [false, false, false, false])
    assert.deepEqual(await revoked('f', 1), [true, true, true, true])
    assert.deepEqual(await revoked('g', 1), [false, false, false, false])
  })

  check('an authorization is created with its stores, by id', open, async storage => {
    await people(storage)
    const { authorizations } = storage
    assert.equal(await authorizations.save(consent('x'), [3n, 1n], 'replace', 50), 'x')
    const saved = { ...consent('x'), created_at: 50, updated_at: 50, revoked_at: null }
    assert.deepEqual(await authorizations.find('x'), saved)
    assert.deepEqual(await authorizations.findLive('a', 'ada'), saved)
    assert.deepEqual(await authorizations.storeIds('x'), [1n, 3n])
    assert.equal(await authorizations.findLive('a', 'bob'), null)
    assert.equal(await authorizations.findLive('a', null), null)
    assert.equal(await authorizations.findLive('b', 'ada'), null)
    assert.equal(await authorizations.find('y'), null)
  })

  check('saving again goes to the live authorization: replace sets, add keeps', open, async storage => {
    await people(storage)
    const { authorizations } = storage
    await authorizations.save(consent('x'), [1n, 2n], 'replace', 50)
    assert.equal(await authorizations.save({ ...consent('y'), scope: 's' }, [2n, 3n], 'replace', 60), 'x')
    assert.deepEqual(await authorizations.storeIds('x'), [2n, 3n])
    assert.equal(await authorizations.find('y'), null)
    assert.equal(await authorizations.save(consent('z'), [1n, 2n], 'add', 70), 'x')
    assert.deepEqual(await authorizations.storeIds('x'), [1n, 2n, 3n])
    const { created_at, updated_at, scope } = (await authorizations.find('x')) ?? {}
    assert.deepEqual([created_at, updated_at, scope], [50, 70, 'integration.store'])
    await authorizations.save(consent('z'), [], 'replace', 80)
    assert.deepEqual(await authorizations.storeIds('x'), [])
  })

  check(
    'stores are covered with the scope they are saved with; change keeps the scope',
    open,
    async storage => {
      await people(storage)
      const { authorizations, stores } = storage
      const both = 'integration.order integration.store'
      const scopes = (of: AccessClaim = claim()) =>
        Promise.all(
          [1n, 2n, 3n].map(async id =>
            [...new Set((await stores.access(of, id)).store_scope.split(' '))].sort().join(' '),
          ),
        )
      await authorizations.save(consent('x'), [1n], 'replace', 50)
      await authorizations.save({ ...consent('x'), scope: both }, [1n, 2n], 'change', 60)
      assert.deepEqual(await scopes(), ['integration.store', 'integration.store', ''])
      assert.equal((await authorizations.find('x'))?.scope, 'integration.store')
      await authorizations.save({ ...consent('l', 'a', null), scope: both }, [2n, 3n], 'add', 70)
      await authorizations.save(consent('l', 'a', null), [3n], 'add', 80)
      assert.deepEqual(await scopes(), ['integration.store', both, 'integration.store'])
      await authorizations.save({ ...consent('x'), scope: both }, [1n, 2n], 'replace', 90)
      assert.deepEqual(await scopes(claim({ authorization_id: 'x' })), [both, both, ''])
    },
  )

  check(
    'a scope that an app loses leaves its authorizations; one that it gains does not come',
    open,
    async storage => {
      await people(storage)
      const { apps, authorizations, stores } = storage
      const all = 'integration.store integration.order integration.inventory'
      const update = (id: string, scope: string) =>
        apps.update(
          { ...app(id), scope },
          all.split(' ').filter(name => !scope.includes(name)),
        )
      for (const id of ['a', 'b']) {
        await update(id, all)
        await authorizations.save({ ...consent(`c-${id}`, id), scope: all }, [1n], 'replace', 50)
      }
      const scopes = async (id: string) => [
        (await authorizations.find(`c-${id}`))?.scope,
        (await stores.access(claim({ app_id: id }), 1n)).store_scope,
      ]
      for (const [scope, left] of [
        ['integration.store integration.inventory', 'integration.store integration.inventory'],
        [all, 'integration.store integration.inventory'],
        ['integration.inventory', 'integration.inventory'],
        [all, 'integration.inventory'],
        ['integration.order', ''],
      ] as const) {
        await update('a', scope)
        assert.deepEqual(await scopes('a'), [left, left], scope)
        assert.equal((await stores.access(claim(), 1n)).app_scope, scope)
      }
      assert.deepEqual(await scopes('b'), [all, all], 'another app')
    },
  )

  check('the operator has one live link for each app, beside the consents', open, async storage => {
    await people(storage)
    const { authorizations } = storage
    await authorizations.save(consent('c'), [1n], 'replace', 50)
    assert.equal(await authorizations.save(consent('l1', 'a', null), [2n], 'add', 50), 'l1')
    assert.equal(await authorizations.save(consent('l2', 'a', null), [3n], 'add', 50), 'l1')
    assert.equal((await authorizations.findLive('a', null))?.id, 'l1')
    assert.deepEqual(await authorizations.storeIds('l1'), [2n, 3n])
    assert.deepEqual(await authorizations.storeIds('c'), [1n])
  })

  check('the operator’s links are listed by store, without consents', open, async storage => {
    await people(storage)
    const { authorizations, stores } = storage
    await authorizations.save(consent('c'), [1n, 3n], 'replace', 50)
    await authorizations.save(consent('l1', 'b', null), [1n], 'add', 60)
    await authorizations.save(consent('l1', 'b', null), [2n, 1n], 'add', 70)
    await authorizations.save(consent('l2', 'a', null), [2n, 3n], 'add', 80)
    await stores.activate(2n, 'b', 90)
    const of = (store_id: bigint, app_id: string, since: number, activated_at: number | null = null) => ({
      store_id,
      app_id,
      scope: 'integration.store',
      since,
      activated_at,
    })
    assert.deepEqual(
      [...(await authorizations.linksTo([2n, 1n]))],
      [of(1n, 'b', 60), of(2n, 'a', 80), of(2n, 'b', 70, 90)],
    )
    assert.deepEqual([...(await authorizations.linksTo([]))], [])
    await authorizations.revoke('l1', 95)
    assert.deepEqual([...(await authorizations.linksTo([1n, 2n]))], [of(2n, 'a', 80)])
  })

  check('change is for a live authorization: it makes none, and revives none', open, async storage => {
    await people(storage)
    const { authorizations } = storage
    assert.equal(await authorizations.save(consent('x'), [1n], 'change', 50), null)
    await authorizations.save(consent('x'), [1n, 2n], 'replace', 50)
    assert.equal(await authorizations.save(consent('y'), [2n, 3n], 'change', 60), 'x')
    assert.deepEqual(await authorizations.storeIds('x'), [2n, 3n])
    assert.equal((await authorizations.find('x'))?.updated_at, 60)
    await authorizations.revoke('x', 70)
    assert.equal(await authorizations.save(consent('x'), [1n], 'change', 80), null)
    assert.equal(await authorizations.findLive('a', 'ada'), null)
    assert.deepEqual(await authorizations.storeIds('x'), [])
  })

  check('parallel saves leave one live authorization', open, async storage => {
    await people(storage)
    const ids = await Promise.all(
      ['p', 'q', 'r', 's'].map(id => storage.authorizations.save(consent(id), [1n], 'add', 50)),
    )
    assert.equal(new Set(ids).size, 1)
  })

  check('revoking ends an authorization once; the next consent begins a new one', open, async storage => {
    await people(storage)
    const { authorizations, stores } = storage
    await authorizations.save(consent('x'), [1n], 'replace', 50)
    const results = await Promise.all([1, 2, 3].map(() => authorizations.revoke('x', 60)))
    assert.equal(results.filter(Boolean).length, 1)
    assert.equal(await authorizations.revoke('nothing', 60), false)
    assert.equal((await authorizations.find('x'))?.revoked_at, 60)
    assert.equal(await authorizations.findLive('a', 'ada'), null)
    assert.equal((await stores.access(claim(), 1n)).store_allowed, false)
    assert.equal(await authorizations.save(consent('y'), [2n], 'add', 70), 'y')
    assert.deepEqual(await authorizations.storeIds('y'), [2n])
    assert.equal((await authorizations.find('x'))?.revoked_at, 60)
  })

  check('revokeApp without stores ends every authorization of that app only', open, async storage => {
    await people(storage)
    const { authorizations, stores } = storage
    await authorizations.save(consent('x'), [1n], 'add', 50)
    await authorizations.save(consent('y', 'a', 'bob'), [2n], 'add', 50)
    await authorizations.save(consent('z', 'a', null), [3n], 'add', 50)
    await authorizations.save(consent('o', 'b'), [1n], 'add', 50)
    assert.equal(await authorizations.revokeApp('a', null, 60), 3)
    assert.equal(await authorizations.revokeApp('a', null, 70), 0)
    for (const id of ['x', 'y', 'z']) assert.equal((await authorizations.find(id))?.revoked_at, 60)
    for (const id of [1n, 2n, 3n]) assert.equal((await stores.access(claim(), id)).store_allowed, false)
    assert.equal((await stores.access(claim({ app_id: 'b' }), 1n)).store_allowed, true)
  })

  check('revokeApp with stores takes them out of each authorization, which lives on', open, async storage => {
    await people(storage)
    const { authorizations, stores } = storage
    await authorizations.save(consent('x'), [1n, 2n], 'add', 50)
    await authorizations.save(consent('y', 'a', null), [2n, 3n], 'add', 50)
    await authorizations.save(consent('z', 'a', 'bob'), [3n], 'add', 50)
    await authorizations.save(consent('o', 'b'), [2n], 'add', 50)
    assert.equal(await authorizations.revokeApp('a', [1n, 2n, 99n], 60), 2)
    assert.deepEqual(await authorizations.storeIds('x'), [])
    assert.deepEqual(await authorizations.storeIds('y'), [3n])
    assert.deepEqual(await authorizations.storeIds('z'), [3n])
    assert.deepEqual(await authorizations.storeIds('o'), [2n])
    assert.equal((await authorizations.find('x'))?.revoked_at, null)
    assert.equal((await stores.access(claim(), 2n)).store_allowed, false)
    assert.equal(await authorizations.revokeApp('a', [], 60), 0)
  })

  check('a new merchant drops the consents to the store, not the operator’s link', open, async storage => {
    await people(storage)
    const { authorizations } = storage
    await authorizations.save(consent('x'), [1n, 2n], 'add', 50)
    await authorizations.save(consent('l', 'a', null), [1n], 'add', 50)
    await write(storage, { stores: [store(1n, { merchant: 'ada@example.com', name: 'Renamed' })] })
    assert.deepEqual(await authorizations.storeIds('x'), [1n, 2n])
    await write(storage, { stores: [store(1n, { merchant: 'bob@example.com' })] })
    assert.deepEqual(await authorizations.storeIds('x'), [2n])
    assert.deepEqual(await authorizations.storeIds('l'), [1n])
    await write(storage, { stores: [store(2n, { merchant: null })] })
    assert.deepEqual(await authorizations.storeIds('x'), [])
  })

  check(
    'when a store changes its merchant, its read figures and activations are deleted',
    open,
    async storage => {
      await people(storage)
      const { authorizations, stores, usage, browse } = storage
      const ada = 'ada@example.com'
      const counts = { app_id: 'a', requests: 1, orders: 2, items: 0, sales: 0, last_at: 50 }
      const reads = [1n, 2n].flatMap(store_id =>
        [0, 3600, 86_400].map(width => ({ ...counts, store_id, width, bucket: 0 })),
      )
      const readOf = async (id: bigint) => {
        const rows = [0, 3600].map(width =>
          usage.reads({ width, from: 0, to: 0, store_ids: [id], app_id: null, by: [] }),
        )
        return (await Promise.all(rows)).flat().length
      }
      const activatedOf = async (id: bigint) =>
        (await browse.readersOf(id)).map(each => [each.app_id, each.activated_at])
      await usage.add({ reads, requests: [], ingest: [], log: [] })
      await authorizations.save(consent('x'), [1n, 2n], 'add', 50)
      await authorizations.save(consent('l', 'b', null), [1n], 'add', 50)
      await stores.activate(1n, 'a', 60)
      await stores.activate(1n, 'b', 61)
      await stores.activate(2n, 'a', 62)

      await write(storage, { stores: [store(1n, { merchant: ada, name: 'Renamed' })] })
      assert.equal(await readOf(1n), 2, 'the same merchant')
      await write(storage, { stores: [store(1n, { merchant: 'bob@example.com' })] })
      assert.equal(await readOf(1n), 0)
      assert.equal(await readOf(2n), 2, 'another store')
      // The operator's app goes on, and so does what it did; the other begins anew.
      await authorizations.save(consent('y', 'a', 'bob'), [1n], 'add', 70)
      assert.deepEqual((await activatedOf(1n)).sort(), [
        ['a', null],
        ['b', 61],
      ])
      assert.deepEqual(await activatedOf(2n), [['a', 62]])

      await write(storage, { stores: [store(2n, { merchant: null })] })
      assert.equal(await readOf(2n), 0, 'nobody’s now, and so is its past')
      await usage.add({ reads, requests: [], ingest: [], log: [] })
      await write(storage, { stores: [store(2n, { merchant: ada })] })
      assert.equal(await readOf(2n), 2, 'it left nobody')
    },
  )

  check(
    'a consent covers the merchant’s own stores only, also while one changes hands',
    open,
    async storage => {
      await people(storage)
      const { authorizations } = storage
      const merchant = 'ada@example.com'
      assert.equal(await authorizations.save({ ...consent('x'), merchant }, [1n, 99n], 'add', 50), null)
      assert.equal(await authorizations.find('x'), null)
      assert.equal(await authorizations.save({ ...consent('x'), merchant }, [1n, 2n], 'add', 50), 'x')
      await write(storage, { stores: [store(1n, { merchant: 'bob@example.com' })] })
      assert.equal(await authorizations.save({ ...consent('y'), merchant }, [1n], 'replace', 60), null)
      assert.deepEqual(await authorizations.storeIds('x'), [2n])
      // Whichever comes first, the store ends up without the former merchant's consent.
      for (let round = 0; round < 10; round++) {
        await write(storage, { stores: [store(3n, { merchant })] })
        await Promise.all([
          authorizations.save({ ...consent('z'), merchant }, [3n], 'add', 70),
          storage.records.write({ store_ids: [3n], items: [], orders: [] }, () => ({
            stores: [store(3n, { merchant: 'bob@example.com' })],
            items: [],
            orders: [],
            rollups: [],
          })),
        ])
        assert.equal((await authorizations.storeIds('x')).includes(3n), false)
      }
    },
  )

  check('access: the facts say what a claim may do now', open, async storage => {
    await people(storage)
    const { authorizations, stores, apps, revokedTokens } = storage
    await authorizations.save(consent('x'), [1n], 'add', 50)
    await authorizations.save(consent('y', 'a', 'bob'), [2n], 'add', 50)
    const facts = {
      app_live: true,
      token_revoked: false,
      authorization_live: true,
      store: { doc: '{"store":1}', orders_version: 0, items_version: 0, seq: 0 },
      store_allowed: true,
      app_scope: 'integration.store',
      store_scope: 'integration.store',
    }
    const none = { ...facts, store: null, store_allowed: false, store_scope: '' }
    const code = claim({ authorization_id: 'x' })
    assert.deepEqual(await stores.access(code, 1n), facts)
    assert.deepEqual(await stores.access(claim(), 1n), facts)
    assert.deepEqual(await stores.access(code, null), none)
    assert.deepEqual(await stores.access(code, 99n), none)
    // Of the app, by another merchant's consent: the app's own token may, this merchant's may not.
    assert.equal((await stores.access(claim(), 2n)).store_allowed, true)
    assert.equal((await stores.access(code, 2n)).store_allowed, false)
    assert.equal((await stores.access(claim(), 3n)).store_allowed, false)
    // An authorization counts for its own app only.
    const stolen = await stores.access(claim({ app_id: 'b', authorization_id: 'x' }), 1n)
    assert.deepEqual([stolen.authorization_live, stolen.store_allowed], [false, false])
    assert.equal((await stores.access(claim({ authorization_id: 'none' }), 1n)).authorization_live, false)

    await revokedTokens.add('token', 9000)
    assert.equal((await stores.access(code, 1n)).token_revoked, true)
    assert.equal((await stores.access({ ...code, jti: 'other' }, 1n)).token_revoked, false)
    await apps.setDisabled('a', 60)
    assert.equal((await stores.access(code, 1n)).app_live, false)
    assert.equal((await stores.access(claim({ app_id: 'unknown' }), 1n)).app_live, false)
    await authorizations.revoke('x', 60)
    assert.equal((await stores.access(code, 1n)).authorization_live, false)
  })

  check('a person reads: an operator every store, a merchant their own, nobody else', open, async storage => {
    await people(storage)
    const { accounts } = storage
    for (const id of ['op', 'chief'])
      await accounts.create(account(id, { email: `${id}@example.com`, role: 'operator' }))
    await accounts.create(account('owner', { email: 'owner@example.com' }))
    await accounts.create(account('maker', { email: 'maker@example.com', role: 'developer' }))
    const merchant = 'owner@example.com'
    await write(storage, {
      stores: [store(1n, { merchant }), store(2n, { merchant: 'maker@example.com' })],
      orders: [order(1n, 'o'), order(2n, 'o')],
    })
    const reads = async (account_id: string, store_id: bigint) => {
      const claim = { account_id }
      const query = { store_id, field: 'created_at', from: 0, to: 9999 } as const
      const page = await storage.orders.page({ claim, query, offset: 0, limit: 10 })
      const items = { store_id, updated_after: null }
      const sales = { store_id, spans: [], edges: [] }
      const days = { store_id, first_day: 0, last_day: 9999 }
      const { order } = await storage.orders.find({ claim, store_id, id: 'o' })
      const given = [
        page.chunk,
        (await storage.items.page({ claim, query: items, offset: 0, limit: 10 })).chunk,
        (await storage.sales.sum({ claim, query: sales })).sold,
        (await storage.changes.receipts({ claim, query: days })).receipts,
        order,
      ].map(part => part !== null)
      assert.equal(new Set(given).size, 1, String(given))
      return order === null
        ? null
        : [order.doc === Buffer.concat(page.chunk?.parts ?? []).toString(), order.seq > 0]
    }
    assert.deepEqual(await reads('owner', 1n), [true, true])
    assert.deepEqual(await reads('op', 1n), [true, true])
    assert.deepEqual(await reads('op', 2n), [true, true])
    // A developer with the email of a store's merchant is none.
    for (const [id, store_id] of [
      ['owner', 2n],
      ['maker', 2n],
      ['nobody', 1n],
      ['', 1n],
      ['op', 99n],
    ] as const) {
      assert.equal(await reads(id, store_id), null, `${id} ${store_id}`)
    }
    await write(storage, { stores: [store(1n, { merchant: 'buyer@example.com' })] })
    assert.equal(await reads('owner', 1n), null, 'the store was sold')
    await accounts.setDisabled('op', 60, 60)
    assert.equal(await reads('op', 1n), null)
  })

  check('nothing is read for a claim that the facts refuse', open, async storage => {
    await people(storage)
    const { authorizations, apps, revokedTokens } = storage
    await authorizations.save(consent('x'), [1n], 'add', 50)
    await write(storage, { orders: [order(1n, 'o')] })
    const readAll = async (who: AccessClaim, store_id: bigint) => {
      const orders = { store_id, field: 'created_at', from: 0, to: 9999 } as const
      const items = { store_id, updated_after: null }
      const sales = { store_id, spans: [], edges: [] }
      return [
        (await storage.orders.page({ claim: who, query: orders, offset: 0, limit: 10 })).chunk,
        (await storage.items.page({ claim: who, query: items, offset: 0, limit: 10 })).chunk,
        (await storage.sales.sum({ claim: who, query: sales })).sold,
      ]
    }
    const code = claim({ authorization_id: 'x' })
    assert.ok((await readAll(code, 1n)).every(part => part !== null))
    assert.deepEqual(await readAll(code, 2n), [null, null, null])
    assert.deepEqual(await readAll(code, 99n), [null, null, null])
    const dead: AccessClaim[] = []
    await revokedTokens.add('revoked', 9000)
    dead.push({ ...code, jti: 'revoked' }, { ...code, app_id: 'b' }, { ...code, authorization_id: 'none' })
    for (const who of dead) {
      assert.deepEqual(await readAll(who, 1n), [null, null, null])
      assert.equal((await storage.stores.page({ claim: who, offset: 0, limit: 10 })).chunk, null)
    }
    await apps.setDisabled('a', 60)
    assert.deepEqual(await readAll(code, 1n), [null, null, null])
    assert.equal((await storage.stores.page({ claim: code, offset: 0, limit: 10 })).chunk, null)
  })

  check('the stores of an authorization, or of all the app’s links once each, by id', open, async storage => {
    await people(storage)
    await write(storage, { stores: [store(lowest), store(highest), store(9007199254740993n)] })
    const { authorizations, stores } = storage
    await authorizations.save(consent('x'), [1n, highest, lowest], 'add', 50)
    await authorizations.save(consent('y', 'a', 'bob'), [9007199254740993n, 1n], 'add', 50)
    await authorizations.save(consent('l', 'a', null), [1n, 2n], 'add', 50)
    await authorizations.save(consent('o', 'b'), [3n], 'add', 50)
    const docs = (ids: bigint[]) => ids.map(id => `{"store":${id}}`).join(',')
    const text = async (who: AccessClaim, offset: number, limit: number) =>
      Buffer.concat((await stores.page({ claim: who, offset, limit })).chunk?.parts ?? []).toString()
    const code = claim({ authorization_id: 'x' })
    assert.equal(await text(code, 0, 10), docs([lowest, 1n, highest]))
    assert.equal(await text(claim(), 0, 10), docs([lowest, 1n, 2n, 9007199254740993n, highest]))
    assert.equal(await text(claim(), 1, 3), docs([1n, 2n, 9007199254740993n]))
    assert.equal(await text(claim(), 5, 3), '')

    for (const who of [code, claim()]) {
      const whole = (await stores.page({ claim: who, offset: 0, limit: 10 })).chunk
      const { chunk } = await stores.page({ claim: who, offset: 0, limit: 1 })
      assert.deepEqual(
        await readOn(chunk, after => stores.more({ claim: who, after, limit: 1 })),
        entries(whole),
      )
    }
  })

  check('the stores of a merchant, by id, exact', open, async storage => {
    const merchant = 'ada@example.com'
    const ids = [highest, 2n, lowest, 9007199254740993n]
    await write(storage, {
      stores: [...ids.map(id => store(id, { merchant })), store(5n), store(6n, { merchant: 'b' })],
    })
    const found = await storage.stores.ofMerchant(merchant)
    assert.deepEqual(found[1], { id: 2n, name: 'Store 2', timezone: 'UTC' })
    assert.deepEqual(
      found.map(({ id }) => id),
      [lowest, 2n, 9007199254740993n, highest],
    )
    assert.equal(await storage.stores.exists(9007199254740993n), true)
    assert.equal(await storage.stores.exists(9007199254740992n), false)
  })

  check('the first activation keeps its time', open, async storage => {
    await linked(storage, [1n, highest])
    const { stores } = storage
    assert.equal(await stores.activate(highest, 'reader', 100), 100)
    assert.equal(await stores.activate(highest, 'reader', 200), 100)
    assert.equal(await stores.activate(1n, 'reader', 300), 300)
    assert.equal(await stores.activate(1n, 'other', 400), 400)
  })
}
