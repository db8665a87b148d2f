import assert from 'node:assert/strict'
import { account, app, check, type Open, store } from './fixtures.ts'

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
      ...{ name: 'Ledger', owner_id: 'dev', redirect_uris: ['https://a.example/'], public: true },
      ...{ website: 'https://ledger.example/', publisher: 'Ledger Ltd' },
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
    assert.deepEqual(await found('ärg'), [], 'only A to Z have two cases here')
    assert.deepEqual(await found(''), ['x', 'y', 'z'])
  })

  check('stores are found by name, merchant or id', open, async ({ records, browse }) => {
    const stores = [
      store(2n ** 63n - 1n, { name: 'Harbour', merchant: 'ada@example.com' }),
      store(7n, { name: 'harbour two' }),
      store(77n, { name: 'Mill', merchant: 'bob@example.com', timezone: 'Europe/Rome' }),
    ]
    await records.write({ store_ids: stores.map(({ id }) => id), items: [], orders: [] }, () => ({
      ...{ stores, items: [], orders: [], rollups: [] },
    }))
    const found = async (text: string) => (await browse.stores({ ...all, text })).rows.map(({ id }) => id)
    assert.deepEqual(await found('HARBOUR'), [7n, 2n ** 63n - 1n])
    assert.deepEqual(await found('Bob@'), [77n])
    assert.deepEqual(await found('7'), [7n])
    assert.deepEqual(await found('9223372036854775807'), [2n ** 63n - 1n])
    assert.deepEqual(await browse.stores({ text: '', offset: 1, limit: 1 }), {
      rows: [{ id: 77n, name: 'Mill', timezone: 'Europe/Rome', merchant: 'bob@example.com' }],
      total: 3,
    })
  })
}
