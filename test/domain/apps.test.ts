import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Apps, createApps, type NewApp } from '../../src/domain/apps/apps.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { databaseForEach } from '../helpers/engine.ts'
import { byTest } from '../helpers/by.ts'
import { openStorage } from '../helpers/storage.ts'

const start = 1_800_000_000
const cb = 'https://app.example.com/cb'
const plain: NewApp = { name: 'Ledger', redirect_uris: [cb], scope: null, public: false, owner_id: null }
let now: number
let storage: Storage
let apps: Apps

beforeEach(async () => {
  now = start
  storage = await openStorage(await databaseForEach())
  apps = createApps({ storage, clock: { now: () => now } })
})
afterEach(() => storage.close())

const refusal = (field: string, message: RegExp) => ({ name: 'InputError', field, message })

describe('create', () => {
  test('an app has what was asked, all integration scopes by default, and a secret shown once', async () => {
    const { app, client_secret } = await apps.create(plain, byTest)
    assert.deepEqual(await apps.find(app.id), app)
    assert.equal(app.name, 'Ledger')
    assert.equal(app.scope, 'integration.store integration.order integration.inventory')
    assert.deepEqual(app.redirect_uris, [cb])
    assert.equal(app.created_at, start)
    assert.match(client_secret ?? '', /^[\w-]{43}$/)
    const kept = JSON.stringify([await apps.list(), await storage.apps.secrets(app.id)])
    assert.ok(!kept.includes(client_secret ?? ''))
  })

  test('a client_id never starts with a dash: it would read as an option on a command line', async () => {
    // One id in 64 would, by chance: among 600 the chance that none does is below one in ten thousand.
    for (let made = 0; made < 600; made++) {
      const { app } = await apps.create(plain, byTest)
      assert.match(app.id, /^\w[\w-]{21}$/)
    }
  })

  test('a scope and a redirect URI named twice count once', async () => {
    const scope = ' integration.order  integration.store integration.order'
    const { app } = await apps.create({ ...plain, scope, redirect_uris: [cb, cb] }, byTest)
    assert.equal(app.scope, 'integration.order integration.store')
    assert.deepEqual(app.redirect_uris, [cb])
  })

  test('an app without a redirect URI is fine: it uses client_credentials', async () => {
    assert.deepEqual((await apps.create({ ...plain, redirect_uris: [] }, byTest)).app.redirect_uris, [])
  })

  test('a public app has no secret', async () => {
    const { app, client_secret } = await apps.create({ ...plain, public: true }, byTest)
    assert.equal(client_secret, null)
    assert.deepEqual(await storage.apps.secrets(app.id), [])
  })

  test('the platform’s app has platform.write alone', async () => {
    const { app } = await apps.create({ ...plain, redirect_uris: [], scope: 'platform.write' }, byTest)
    assert.equal(app.scope, 'platform.write')
  })

  const names: [name: string, fine: boolean][] = [
    ['', false],
    ['   ', false],
    ['x', true],
    ['Café 👩‍🍳 & Söhne', true],
    ['x'.repeat(100), true],
    ['👍'.repeat(100), true],
    ['x'.repeat(101), false],
    ['a\nb', false],
    ['a\u0000b', false],
    ['a\u001b[31mb', false],
    ['a\u202eb', false],
    ['a\u200bb', false],
    ['a\u00adb', false],
    ['a\u061cb', false],
    ['a\u{e0041}b', false],
    ['a\u2028b', false],
    ['a\ud800b', false],
    ['\u3164', false],
    ['a\u115fb', false],
    ['\u2800', false],
    ['\u0301', false],
  ]
  for (const [name, fine] of names) {
    test(`the name ${JSON.stringify(name).slice(0, 40)} is ${fine ? 'fine' : 'refused'}`, async () => {
      if (fine) assert.equal((await apps.create({ ...plain, name }, byTest)).app.name, name)
      else
        await assert.rejects(apps.create({ ...plain, name }, byTest), { name: 'InputError', field: 'name' })
    })
  }

  const refused: { name: string; input: Partial<NewApp>; field: string; message: RegExp }[] = [
    { name: 'an empty scope', input: { scope: ' ' }, field: 'scope', message: /empty/ },
    {
      name: 'an unknown scope',
      input: { scope: 'integration.store integration.all' },
      field: 'scope',
      message: /"integration\.all" is not one of integration\.store, /,
    },
    {
      name: 'a scope named like a method',
      input: { scope: 'toString' },
      field: 'scope',
      message: /not one of/,
    },
    {
      name: 'platform.write with an integration scope',
      input: { scope: 'integration.store platform.write', redirect_uris: [] },
      field: 'scope',
      message: /platform alone/,
    },
    {
      name: 'platform.write with a redirect URI',
      input: { scope: 'platform.write' },
      field: 'scope',
      message: /platform alone/,
    },
    {
      name: 'platform.write for a public app',
      input: { scope: 'platform.write', redirect_uris: [], public: true },
      field: 'scope',
      message: /platform alone/,
    },
    {
      name: 'platform.write for a developer’s app',
      input: { scope: 'platform.write', redirect_uris: [], owner_id: 'dev' },
      field: 'scope',
      message: /platform alone: a developer/,
    },
    {
      name: 'a public app without a redirect URI',
      input: { public: true, redirect_uris: [] },
      field: 'redirect_uri',
      message: /at least one/,
    },
    {
      name: 'a bad redirect URI among good ones',
      input: { redirect_uris: [cb, 'http://app.example.com/cb'] },
      field: 'redirect_uri',
      message: /"http:\/\/app\.example\.com\/cb" cannot be used: .*loopback/,
    },
  ]
  for (const { name, input, field, message } of refused) {
    test(`${name} is refused, and nothing is stored`, async () => {
      await assert.rejects(apps.create({ ...plain, ...input }, byTest), refusal(field, message))
      assert.deepEqual(await apps.list(), [])
    })
  }
})

describe('secrets', () => {
  test('the right secret verifies; another app’s, a cut one or none does not', async () => {
    const one = await apps.create(plain, byTest)
    const two = await apps.create(plain, byTest)
    const secret = one.client_secret ?? ''
    assert.equal(await apps.verifySecret(one.app.id, secret), true)
    for (const wrong of ['', secret.slice(1), `${secret} `, two.client_secret ?? '']) {
      assert.equal(await apps.verifySecret(one.app.id, wrong), false, wrong)
    }
    assert.equal(await apps.verifySecret('nobody', secret), false)
  })

  test('a public app has no secret that verifies', async () => {
    const { app } = await apps.create({ ...plain, public: true }, byTest)
    assert.equal(await apps.verifySecret(app.id, ''), false)
  })

  for (const pause of [10, 0, -10]) {
    test(`two secrets live during rotation, the oldest goes, with the clock ${pause} s on`, async () => {
      // Several apps, because chance must not decide which of two secrets of one second goes.
      for (let round = 0; round < 8; round++) {
        const { app, client_secret } = await apps.create(plain, byTest)
        const secrets = [client_secret ?? '']
        const verified = () => Promise.all(secrets.map(secret => apps.verifySecret(app.id, secret)))
        now += pause
        secrets.push(await apps.rotateSecret(app.id, byTest))
        assert.deepEqual(await verified(), [true, true])
        now += pause
        secrets.push(await apps.rotateSecret(app.id, byTest))
        assert.deepEqual(await verified(), [false, true, true])
      }
    })
  }

  test('the use of a secret is remembered, a failed try is not', async () => {
    const { app, client_secret } = await apps.create(plain, byTest)
    now += 3600
    await apps.verifySecret(app.id, 'wrong')
    assert.equal((await storage.apps.secrets(app.id))[0]?.last_used_at, null)
    await apps.verifySecret(app.id, client_secret ?? '')
    const used = (await storage.apps.secrets(app.id))[0]?.last_used_at ?? 0
    assert.ok(Math.abs(used - now) < 60, `last used at ${used}, now ${now}`)
  })

  test('a public or unknown app gets no secret', async () => {
    const { app } = await apps.create({ ...plain, public: true }, byTest)
    await assert.rejects(apps.rotateSecret(app.id, byTest), refusal('client_id', /public/))
    await assert.rejects(
      apps.rotateSecret('nobody', byTest),
      refusal('client_id', /no app has the client_id "nobody"/),
    )
  })
})

describe('stores', () => {
  const huge = 9_007_199_254_740_993n

  beforeEach(async () => {
    const row = { name: 'Shop', timezone: 'Australia/Sydney', merchant: null }
    const stores = [1001n, 1002n, huge].map(id => ({ ...row, id, doc: `{"id":${id}}` }))
    await storage.records.write({ store_ids: stores.map(({ id }) => id), items: [], orders: [] }, () => ({
      stores,
      items: [],
      orders: [],
      rollups: [],
    }))
  })

  async function linked(app_id: string): Promise<bigint[]> {
    const live = await storage.authorizations.findLive(app_id, null)
    return live ? storage.authorizations.storeIds(live.id) : []
  }

  test('authorize links stores without a merchant and adds to those linked before', async () => {
    const { app } = await apps.create(plain, byTest)
    await apps.authorize(app.id, [1001n], byTest)
    await apps.authorize(app.id, [huge], byTest)
    assert.deepEqual(await linked(app.id), [1001n, huge])
    assert.equal((await storage.authorizations.findLive(app.id, null))?.scope, app.scope)
  })

  test('authorize names a store that does not exist, and links none', async () => {
    const { app } = await apps.create(plain, byTest)
    await assert.rejects(
      apps.authorize(app.id, [1001n, 7n], byTest),
      refusal('store', /no store has the id 7$/),
    )
    assert.deepEqual(await linked(app.id), [])
  })

  test('revoke takes the named stores, or everything', async () => {
    const { app } = await apps.create(plain, byTest)
    await apps.authorize(app.id, [1001n, 1002n], byTest)
    assert.equal(await apps.revoke(app.id, [1002n], byTest), 1)
    assert.deepEqual(await linked(app.id), [1001n])
    assert.equal(await apps.revoke(app.id, null, byTest), 1)
    assert.deepEqual(await linked(app.id), [])
    assert.equal(await apps.revoke(app.id, null, byTest), 0)
  })

  test('authorize and revoke refuse an unknown app', async () => {
    await assert.rejects(apps.authorize('nobody', [1001n], byTest), refusal('client_id', /nobody/))
    await assert.rejects(apps.revoke('nobody', null, byTest), refusal('client_id', /nobody/))
  })
})

test('an app is disabled and enabled; an unknown one is refused', async () => {
  const { app } = await apps.create(plain, byTest)
  await apps.setDisabled(app.id, true, byTest)
  assert.equal((await apps.find(app.id))?.disabled_at, now)
  await apps.setDisabled(app.id, false, byTest)
  assert.equal((await apps.find(app.id))?.disabled_at, null)
  await assert.rejects(apps.setDisabled('nobody', true, byTest), refusal('client_id', /nobody/))
})

test('what its developer disabled, its developer enables; what the operator disabled, the operator', async () => {
  const { app } = await apps.create(plain, byTest)
  assert.equal(await apps.setDisabledByOwner(app.id, true, byTest), true)
  assert.equal((await apps.find(app.id))?.disabled_by_owner, true)
  await apps.setDisabled(app.id, true, byTest)
  assert.equal(await apps.setDisabledByOwner(app.id, false, byTest), false)
  assert.equal((await apps.find(app.id))?.disabled_at, now)
  await apps.setDisabled(app.id, false, byTest)
  assert.equal(await apps.setDisabledByOwner(app.id, true, byTest), true)
  assert.equal(await apps.setDisabledByOwner(app.id, false, byTest), true)
  assert.equal((await apps.find(app.id))?.disabled_at, null)
})

test('list has all apps, oldest first', async () => {
  const made: string[] = []
  for (const name of ['A', 'B', 'C']) {
    made.push((await apps.create({ ...plain, name }, byTest)).app.id)
    now += 1
  }
  assert.deepEqual(
    (await apps.list()).map(app => app.id),
    made,
  )
})

describe('change', () => {
  test('a new name beside the removal of a scope leaves the scope removed', async () => {
    const { app } = await apps.create(plain, byTest)
    const less = 'integration.store'
    // The other change happens after the app is read.
    const { update } = storage.apps
    storage.apps.update = async (...change) => {
      storage.apps.update = update
      await apps.change(app.id, { ...plain, scope: less }, byTest)
      return update(...change)
    }
    await apps.change(app.id, { name: 'Renamed', redirect_uris: [cb] }, byTest)
    const { name, scope } = (await apps.find(app.id)) ?? {}
    assert.deepEqual([name, scope], ['Renamed', less])
  })
})
