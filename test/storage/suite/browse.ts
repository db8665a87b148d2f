import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fold } from '../../../src/lib/fold.ts'
import { account, app, check, highest, type Open, order, store, write } from './fixtures.ts'

const all = { text: '', offset: 0, limit: 100 }

export function browseTests(open: Open): void {
  check('accounts are found by a part of the email or by id', open, async ({ accounts, browse }) => {
    for (const id of ['cleo', 'ada', 'bob']) await accounts.create(account(id))
    const found = async (text: string) => (await browse.accounts({ ...all, text })).rows.map(({ id }) => id)
    assert.deepEqual(await found(''), ['ada', 'bob', 'cleo'])
    assert.deepEqual(await found('B@EXAMPLE'), ['bob'])
    assert.deepEqual(await found('cleo'), ['cleo'])
    assert.deepEqual(await found('%'), [])
    assert.deepEqual(await browse.accounts({ text: '', offset: 1, limit: 1 }), {
      rows: [account('bob')],
      total: 3,
    })
    assert.deepEqual(await browse.accounts({ text: '', offset: 9, limit: 1 }), { rows: [], total: 3 })
  })

  check('apps are found by name, owner or client id, whole', open, async ({ accounts, apps, browse }) => {
    await accounts.create(account('dev', { role: 'developer', email: 'maker@dev.example' }))
    const ledger = app('x', {
      name: 'Ledger',
      owner_id: 'dev',
      redirect_uris: ['https://a.example/'],
      public: true,
      website: 'https://ledger.example/',
      publisher: 'Ledger Ltd',
    })
    const till = app('y', { name: 'ledger two' })
    const other = app('z', { name: 'Ärger' })
    for (const each of [other, till, ledger]) await apps.create(each, null)
    const found = async (text: string) => (await browse.apps({ ...all, text })).rows.map(({ id }) => id)
    assert.deepEqual(await browse.apps({ ...all, text: 'LEDGER' }), {
      rows: [
        { ...ledger, owner_email: 'maker@dev.example' },
        { ...till, owner_email: null },
      ],
      total: 2,
    })
    assert.deepEqual(await found('maker@'), ['x'])
    assert.deepEqual(await found('z'), ['z'])
    assert.deepEqual(await found('Ärg'), ['z'])
    for (const text of ['ärg', 'ARG', 'a\u0308rger', 'ÄRGER'])
      assert.deepEqual(await found(text), ['z'], text)
    assert.deepEqual(await found(''), ['x', 'y', 'z'])
  })

  check('a search ignores case and accents of every script, as lib/fold.ts does', open, async storage => {
    const { apps, browse } = storage
    const letters = [
      ...new Set(['ςΣσ', 'ҐґЂђ', 'ĦħŁłØøß', 'ƏəIıİi', 'ӘәҚқҢңҰұ', 'ԱաԲբև', 'ÀéЙйΐ', '𐐀𐐨ＡａǅK'].join('')),
    ]
    const letter = fc.oneof(
      fc.constantFrom(...letters),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    )
    const words = fc.sample(
      fc
        .array(letter, { minLength: 3, maxLength: 8 })
        .map(word => word.join('').replaceAll('\0', '').toWellFormed()),
      { numRuns: 30, seed: 18 },
    )
    for (const [i, name] of words.entries()) await apps.create(app(`app-${i}`, { name }), null)
    for (const word of words) {
      const part = [...word].slice(0, 2).join('')
      for (const text of [part, part.toUpperCase(), part.toLowerCase(), part.normalize('NFD')]) {
        if (text === '') continue
        const wanted = words.flatMap((name, i) => (fold(name).includes(fold(text)) ? [`app-${i}`] : []))
        const found = (await browse.apps({ text, offset: 0, limit: 100 })).rows.map(({ id }) => id)
        assert.deepEqual(found.sort(), wanted.sort(), JSON.stringify([word, text]))
      }
    }
  })

  check('stores are found by name, merchant or id', open, async ({ records, browse }) => {
    const stores = [
      store(2n ** 63n - 1n, { name: 'Harbour', merchant: 'ada@example.com' }),
      store(7n, { name: 'harbour two' }),
      store(77n, { name: 'Mill', merchant: 'bob@example.com', timezone: 'Europe/Rome' }),
    ]
    await records.write({ store_ids: stores.map(({ id }) => id), items: [], orders: [] }, () => ({
      stores,
      items: [],
      orders: [],
      rollups: [],
    }))
    const search = { ...all, app_id: null }
    const found = async (text: string) => (await browse.stores({ ...search, text })).rows.map(({ id }) => id)
    assert.deepEqual(await found('HARBOUR'), [7n, 2n ** 63n - 1n])
    assert.deepEqual(await found('Bob@'), [77n])
    assert.deepEqual(await found('7'), [7n])
    assert.deepEqual(await found('9223372036854775807'), [2n ** 63n - 1n])
    assert.deepEqual(await browse.stores({ ...search, offset: 1, limit: 1 }), {
      rows: [{ id: 77n, name: 'Mill', timezone: 'Europe/Rome', merchant: 'bob@example.com' }],
      total: 3,
    })
    const from = async (id: bigint, limit: number, text = '') =>
      (await browse.storesFrom(id, { text, limit })).map(({ id }) => id)
    assert.deepEqual(await from(-(2n ** 63n), 2), [7n, 77n])
    assert.deepEqual(await from(78n, 2), [2n ** 63n - 1n])
    assert.deepEqual(await from(8n, 2, 'HARBOUR'), [2n ** 63n - 1n])
    assert.deepEqual(await browse.storesFrom(77n, { text: '', limit: 1 }), [
      { id: 77n, name: 'Mill', timezone: 'Europe/Rome', merchant: 'bob@example.com' },
    ])
  })

  check('an app’s stores, the apps of a store, and who allowed them', open, async storage => {
    const { accounts, apps, authorizations, browse } = storage
    for (const id of ['ada', 'bob']) await accounts.create(account(id))
    await apps.create(app('x', { name: 'Zebra' }), null)
    await apps.create(app('y', { name: 'Ledger', disabled_at: 77 }), null)
    await write(storage, {
      stores: [
        store(1n),
        store(highest, { merchant: 'ada@example.com', timezone: 'Europe/Rome' }),
        store(3n),
      ],
      orders: [
        order(highest, 'a', { created_at: 50, updated_at: 90 }),
        order(highest, 'b', { created_at: 60, updated_at: 61 }),
        order(3n, 'c', { created_at: 7, updated_at: 8 }),
      ],
    })
    const allow = (id: string, app_id: string, account_id: string | null, ids: bigint[], now: number) =>
      authorizations.save({ id, app_id, account_id, scope: 's' }, ids, 'add', now)
    await allow('1', 'x', 'ada', [1n, highest], 10)
    await allow('2', 'x', 'bob', [highest], 20)
    await allow('3', 'x', null, [highest], 30)
    await allow('4', 'y', 'ada', [highest], 40)
    await allow('5', 'y', 'bob', [3n], 50)
    await authorizations.revoke('5', 51)
    await storage.stores.activate(highest, 'x', 25)

    const { seq } = (await browse.store(highest)) ?? {}
    assert.ok(seq && seq >= 2)
    assert.equal(await browse.newestSeq(), seq)
    assert.deepEqual(await browse.store(highest), {
      id: highest,
      name: `Store ${highest}`,
      timezone: 'Europe/Rome',
      merchant: 'ada@example.com',
      last_order_at: 60,
      last_change_at: 90,
      seq,
    })
    assert.deepEqual(await browse.store(1n), {
      id: 1n,
      name: 'Store 1',
      timezone: 'UTC',
      merchant: null,
      last_order_at: null,
      last_change_at: null,
      seq: 0,
    })
    assert.equal(await browse.store(9n), null)

    const zebra = { app_id: 'x', app_name: 'Zebra', app_disabled_at: null, activated_at: 25 }
    const ada = { account_id: 'ada', account_email: 'ada@example.com' }
    assert.deepEqual(await browse.readersOf(highest), [
      { app_id: 'y', app_name: 'Ledger', app_disabled_at: 77, ...ada, allowed_at: 40, activated_at: null },
      { ...zebra, ...ada, allowed_at: 10 },
      { ...zebra, account_id: 'bob', account_email: 'bob@example.com', allowed_at: 20 },
      { ...zebra, account_id: null, account_email: null, allowed_at: 30 },
    ])
    assert.deepEqual(await browse.readersOf(3n), [], 'it was revoked')

    assert.deepEqual(await browse.reachOf('x'), { stores: 2, owners: 1, merchants: 2, linked: true })
    assert.deepEqual(await browse.reachOf('y'), { stores: 1, owners: 1, merchants: 1, linked: false })
    assert.deepEqual(await browse.reachOf('nothing'), { stores: 0, owners: 0, merchants: 0, linked: false })

    const ofApp = async (app_id: string, text = '') => {
      const { rows, total } = await browse.stores({ ...all, text, app_id })
      return [rows.map(({ id }) => id), total]
    }
    assert.deepEqual(await ofApp('x'), [[1n, highest], 2])
    assert.deepEqual(await ofApp('y'), [[highest], 1])
    assert.deepEqual(await ofApp('x', 'ada@'), [[highest], 1])
    assert.deepEqual(await ofApp('nothing'), [[], 0])
  })

  check('how many there are of each', open, async storage => {
    const { accounts, apps, browse } = storage
    const none = { merchants: 0, developers: 0, operators: 0, disabled_accounts: 0 }
    assert.deepEqual(await browse.totals(), { stores: 0, apps: 0, disabled_apps: 0, ...none })
    await accounts.create(account('a', { disabled_at: 5 }))
    await accounts.create(account('b'))
    await accounts.create(account('c', { role: 'developer' }))
    await accounts.create(account('d', { role: 'operator' }))
    await apps.create(app('x', { disabled_at: 5 }), null)
    await apps.create(app('y'), null)
    await write(storage, { stores: [store(1n), store(2n), store(3n)] })
    assert.deepEqual(await browse.totals(), {
      stores: 3,
      apps: 2,
      disabled_apps: 1,
      merchants: 2,
      developers: 1,
      operators: 1,
      disabled_accounts: 1,
    })
  })
}
