import assert from 'node:assert/strict'
import type { App, AuditEntry } from '../../../src/storage/port/index.ts'
import { account, app, check, type Open, store } from './fixtures.ts'

const secret = (id: string, created_at: number, app_id = 'a') => ({
  id,
  app_id,
  hash: `hash of ${id}`,
  created_at,
  last_used_at: null,
})

export function peopleTests(open: Open): void {
  check('an account is found by id and by email, whole', open, async ({ accounts }) => {
    const ada = account('ada', { role: 'operator', disabled_at: 2000 })
    assert.equal(await accounts.create(ada), true)
    assert.deepEqual(await accounts.find('ada'), ada)
    assert.deepEqual(await accounts.findByEmail('ada@example.com'), ada)
    assert.equal(await accounts.find('nobody'), null)
    assert.equal(await accounts.findByEmail('nobody@example.com'), null)
  })

  check(
    'an email belongs to one account, however many are created at the same time',
    open,
    async ({ accounts }) => {
      const tries = ['a', 'b', 'c', 'd'].map(id =>
        accounts.create(account(id, { email: 'same@example.com' })),
      )
      assert.equal((await Promise.all(tries)).filter(Boolean).length, 1)
    },
  )

  check('a session leads to its account until it expires or ends', open, async ({ accounts, sessions }) => {
    await accounts.create(account('ada'))
    await sessions.create({
      hash: 'h1',
      account_id: 'ada',
      password_hash: 'hash',
      created_at: 1000,
      expires_at: 2000,
    })
    await sessions.create({
      hash: 'h2',
      account_id: 'ada',
      password_hash: 'hash',
      created_at: 1000,
      expires_at: 2000,
    })
    assert.deepEqual(await sessions.findAccount('h1', 1999), account('ada'))
    assert.equal(await sessions.findAccount('h1', 2000), null)
    assert.equal(await sessions.findAccount('other', 1500), null)
    await sessions.end('h1')
    await sessions.end('h1')
    assert.equal(await sessions.findAccount('h1', 1500), null)
    assert.notEqual(await sessions.findAccount('h2', 1500), null)
  })

  check('the live sessions of an account are listed, and all but one ended', open, async storage => {
    const { accounts, sessions } = storage
    for (const id of ['ada', 'bob']) await accounts.create(account(id))
    const start = (hash: string, account_id: string, created_at: number, browser: string | null = null) =>
      sessions.create({
        hash,
        account_id,
        password_hash: 'hash',
        created_at,
        expires_at: created_at + 1000,
        address: '192.0.2.1',
        browser,
      })
    await start('old', 'ada', 100)
    await start('a', 'ada', 1000, 'Firefox')
    await start('b', 'ada', 2000)
    await start('other', 'bob', 2000)
    assert.deepEqual(Array.from(await sessions.ofAccount('ada', 1500)), [
      { hash: 'b', created_at: 2000, address: '192.0.2.1', browser: null },
      { hash: 'a', created_at: 1000, address: '192.0.2.1', browser: 'Firefox' },
    ])
    assert.equal(await sessions.endOthers('ada', 'b'), 2)
    assert.equal(await sessions.endOthers('ada', 'b'), 0)
    assert.equal(await sessions.findAccount('a', 1500), null)
    assert.equal((await sessions.findAccount('b', 1500))?.id, 'ada')
    assert.equal((await sessions.findAccount('other', 1500))?.id, 'bob')
  })

  check('each code of two-factor authentication works once, also in parallel', open, async storage => {
    const { accounts, twoFactors } = storage
    for (const id of ['ada', 'bob']) await accounts.create(account(id))
    const wins = async (tries: Promise<boolean>[]) => (await Promise.all(tries)).filter(Boolean).length
    assert.equal(await twoFactors.find('ada'), null)
    assert.equal(await twoFactors.useStep('ada', 6), false)
    const one = { secret: 'SECRET', step: 5, recovery_hashes: ['r1', 'r2', 'r3'], created_at: 10 }
    await twoFactors.set('ada', one)
    assert.deepEqual(await twoFactors.find('ada'), {
      secret: 'SECRET',
      created_at: 10,
      recovery_codes_left: 3,
    })
    assert.equal(await twoFactors.find('bob'), null)
    assert.equal(await twoFactors.useStep('ada', 5), false)
    assert.equal(await wins([6, 6, 6].map(step => twoFactors.useStep('ada', step))), 1)
    assert.equal(await twoFactors.useStep('ada', 5), false)
    assert.equal(await wins(['r2', 'r2', 'r2'].map(hash => twoFactors.useRecoveryCode('ada', hash))), 1)
    assert.equal(await twoFactors.useRecoveryCode('ada', 'r4'), false)
    assert.equal(await twoFactors.useRecoveryCode('bob', 'r1'), false)
    assert.equal((await twoFactors.find('ada'))?.recovery_codes_left, 2)
    await twoFactors.set('ada', { ...one, secret: 'NEW', recovery_hashes: [] })
    assert.deepEqual(await twoFactors.find('ada'), { secret: 'NEW', created_at: 10, recovery_codes_left: 0 })
    assert.deepEqual([await twoFactors.remove('ada'), await twoFactors.remove('ada')], [true, false])
    assert.equal(await twoFactors.find('ada'), null)
  })

  check('a session is for an enabled account and the password that was looked at', open, async storage => {
    const { accounts, sessions } = storage
    await accounts.create(account('ada'))
    await accounts.create(account('off', { disabled_at: 1500 }))
    const times = { created_at: 1000, expires_at: 2000 }
    const start = (account_id: string, password_hash: string) =>
      sessions.create({ hash: account_id, account_id, password_hash, ...times })
    assert.equal(await start('off', 'hash'), false)
    assert.equal(await start('nobody', 'hash'), false)
    assert.equal(await start('ada', 'other'), false)
    for (const id of ['off', 'nobody', 'ada']) assert.equal(await sessions.findAccount(id, 1600), null)
    assert.equal(await start('ada', 'hash'), true)
    assert.equal((await sessions.findAccount('ada', 1600))?.id, 'ada')
  })

  check(
    'a sign-in that is under way while the account is disabled or its password changes leaves no session',
    open,
    async ({ accounts, sessions }) => {
      await accounts.create(account('ada', { password_hash: 'p0' }))
      const times = { created_at: 1000, expires_at: 9000 }
      for (let round = 0; round < 10; round++) {
        const tries = ['a', 'b', 'c', 'd'].map(name => `${name}${round}`)
        const signIns = tries.map(hash =>
          sessions.create({ hash, account_id: 'ada', password_hash: `p${round}`, ...times }),
        )
        const change = { password_hash: `p${round + 1}`, replaces: `p${round}` }
        const ending =
          round % 2 === 0
            ? accounts.setPassword('ada', change)
            : accounts.setDisabled('ada', 10, 10).then(() => accounts.setPassword('ada', change))
        await Promise.all([...signIns, ending])
        await accounts.setDisabled('ada', null, 11)
        for (const hash of tries) assert.equal(await sessions.findAccount(hash, 2000), null, hash)
      }
    },
  )

  check('disabling an account ends its sessions and revokes what it allowed', open, async storage => {
    const { accounts, apps, authorizations, records, sessions } = storage
    for (const id of ['ada', 'bob']) {
      await accounts.create(account(id))
      await sessions.create({
        hash: id,
        account_id: id,
        password_hash: 'hash',
        created_at: 1,
        expires_at: 9999,
      })
    }
    await apps.create(app('a'), null)
    await records.write({ store_ids: [1n], items: [], orders: [] }, () => ({
      stores: [store(1n)],
      items: [],
      orders: [],
      rollups: [],
    }))
    for (const id of ['ada', 'bob']) {
      await authorizations.save({ id, app_id: 'a', account_id: id, scope: 's' }, [1n], 'add', 5)
    }
    assert.equal(await accounts.setDisabled('ada', 10, 11), 'changed')
    assert.equal(await accounts.setDisabled('ada', 12, 12), 'unchanged')
    assert.equal((await accounts.find('ada'))?.disabled_at, 10)
    assert.equal((await authorizations.find('ada'))?.revoked_at, 11)
    assert.deepEqual(await authorizations.storeIds('ada'), [])
    assert.equal((await authorizations.find('bob'))?.revoked_at, null)
    assert.deepEqual(await authorizations.storeIds('bob'), [1n])
    assert.equal(await accounts.setDisabled('ada', null, 20), 'changed')
    assert.equal(await sessions.findAccount('ada', 30), null)
    assert.equal((await authorizations.find('ada'))?.revoked_at, 11)
    assert.equal((await sessions.findAccount('bob', 30))?.id, 'bob')
    assert.equal(await accounts.setDisabled('nobody', 10, 10), 'unchanged')
  })

  check('a disabled account allows nothing, also when it is disabled meanwhile', open, async storage => {
    const { accounts, apps, authorizations, records } = storage
    await accounts.create(account('ada'))
    await apps.create(app('a'), null)
    const merchant = 'ada@example.com'
    await records.write({ store_ids: [1n], items: [], orders: [] }, () => ({
      stores: [store(1n, { merchant })],
      items: [],
      orders: [],
      rollups: [],
    }))
    const allow = (id: string) =>
      authorizations.save({ id, app_id: 'a', account_id: 'ada', scope: 's', merchant }, [1n], 'replace', 5)
    for (let round = 0; round < 10; round++) {
      await Promise.all([accounts.setDisabled('ada', 10, 10), allow(`g${round}`), allow(`h${round}`)])
      assert.equal(await authorizations.findLive('a', 'ada'), null)
      assert.equal(await allow('late'), null)
      await accounts.setDisabled('ada', null, 11)
    }
    assert.notEqual(await allow('again'), null)
  })

  check('a developer is disabled together with their apps, all or nothing', open, async storage => {
    const { accounts, apps, audit } = storage
    for (const id of ['dev', 'other']) await accounts.create(account(id, { role: 'developer' }))
    await apps.create(app('on', { owner_id: 'dev' }), null)
    await apps.create(app('off', { owner_id: 'dev', disabled_at: 5 }), null)
    await apps.create(app('paused', { owner_id: 'dev', disabled_at: 6, disabled_by_owner: true }), null)
    await apps.create(app('foreign', { owner_id: 'other' }), null)
    const told = (id: string): AuditEntry => ({
      id,
      at: 10,
      action: 'app_disabled',
      actor_kind: 'server',
      actor_id: null,
      actor_name: null,
      account_id: null,
      app_id: null,
      store_ids: [],
      detail: null,
      address: null,
      request_id: null,
    })
    const state = async () =>
      Promise.all(
        ['on', 'off', 'paused', 'foreign'].map(async id => {
          const { disabled_at, disabled_by_owner } = (await apps.find(id)) as App
          return [disabled_at, disabled_by_owner]
        }),
      )
    const before = await state()
    const fails = () => {
      throw new Error('the power went')
    }
    await assert.rejects(accounts.setDisabled('dev', 10, 10, told('account'), fails), /the power went/)
    assert.deepEqual(await state(), before)
    assert.equal((await accounts.find('dev'))?.disabled_at, null)

    assert.equal(await accounts.setDisabled('dev', 10, 10, told('account'), told), 'changed')
    assert.deepEqual(await state(), [
      [10, false],
      [5, false],
      [10, false],
      [null, false],
    ])
    const entries = async () =>
      (await audit.list({ limit: 9, scan_limit: 9 })).lines.map(({ id }) => id).sort()
    assert.deepEqual(await entries(), ['account', 'on', 'paused'])

    await apps.create(app('late', { owner_id: 'dev' }), null)
    assert.equal(await accounts.setDisabled('dev', 20, 20, told('again'), told), 'unchanged')
    assert.equal((await apps.find('late'))?.disabled_at, 20, 'also of one who is disabled already')
    assert.deepEqual(await entries(), ['account', 'late', 'on', 'paused'])
    await accounts.setDisabled('dev', null, 30, told('enabled'), told)
    assert.equal((await apps.find('on'))?.disabled_at, 10, 'enabling enables no app')
  })

  check('one operator stays enabled, also when all are disabled at once', open, async storage => {
    const { accounts, audit } = storage
    const operators = ['ada', 'bob', 'cleo']
    for (const id of operators) await accounts.create(account(id, { role: 'operator' }))
    await accounts.create(account('mia'))
    const outcomes = await Promise.all(operators.map(id => accounts.setDisabled(id, 10, 10)))
    assert.deepEqual([...outcomes].sort(), ['changed', 'changed', 'last_operator'])
    const last = operators[outcomes.indexOf('last_operator')] as string
    assert.equal((await accounts.find(last))?.disabled_at, null)
    assert.equal(await accounts.setDisabled('mia', 10, 10), 'changed', 'a merchant is no operator')
    const other = operators.find(id => id !== last) as string
    assert.equal(await accounts.setDisabled(other, 11, 11), 'unchanged', 'of one who is disabled already')
    assert.equal(await accounts.setDisabled(other, null, 12), 'changed')
    assert.equal(await accounts.setDisabled(last, 13, 13), 'changed')
    assert.deepEqual((await audit.list({ limit: 9, scan_limit: 9 })).lines, [])
  })

  check('a new password ends the sessions', open, async ({ accounts, sessions }) => {
    await accounts.create(account('ada'))
    await sessions.create({
      hash: 'h',
      account_id: 'ada',
      password_hash: 'hash',
      created_at: 1,
      expires_at: 9999,
    })
    const change = { password_hash: 'other', replaces: 'hash' }
    assert.equal(await accounts.setPassword('ada', change), true)
    assert.equal((await accounts.find('ada'))?.password_hash, 'other')
    assert.equal(await sessions.findAccount('h', 30), null)
    assert.equal(await accounts.setPassword('nobody', change), false)
    // Decided by a password that was replaced meanwhile.
    assert.equal(await accounts.setPassword('ada', { password_hash: 'third', replaces: 'hash' }), false)
    assert.equal((await accounts.find('ada'))?.password_hash, 'other')
  })

  check('what may change of an app changes, and nothing else', open, async ({ apps }) => {
    await apps.create(app('a'), null)
    const face = {
      name: 'New',
      website: 'https://n.example/',
      publisher: 'N',
      redirect_uris: ['https://n.example/cb'],
      scope: 'integration.inventory',
    }
    assert.equal(await apps.update({ id: 'a', ...face }, []), true)
    assert.deepEqual(await apps.find('a'), { ...app('a'), ...face })
    assert.equal(await apps.update({ id: 'nothing', ...face }, []), false)
    await apps.update({ id: 'a', ...face, name: 'Newer', scope: null }, [])
    assert.deepEqual(await apps.find('a'), { ...app('a'), ...face, name: 'Newer' }, 'no scope is given')
  })

  check('apps are found whole and listed oldest first', open, async ({ accounts, apps }) => {
    await accounts.create(account('dev', { role: 'developer' }))
    const young = app('b', { created_at: 30 })
    const old = app('c', {
      created_at: 10,
      public: true,
      owner_id: 'dev',
      redirect_uris: ['https://a.example/cb', 'http://127.0.0.1/"x"'],
    })
    const twin = app('a', { created_at: 30, disabled_at: 40, disabled_by_owner: true })
    for (const each of [young, old, twin]) await apps.create(each, null)
    assert.deepEqual(await apps.find('c'), old)
    assert.equal(await apps.find('nothing'), null)
    assert.deepEqual(await apps.list(), [old, twin, young])
  })

  check('a developer’s apps are theirs alone, newest first', open, async ({ accounts, apps }) => {
    for (const id of ['dev', 'other']) await accounts.create(account(id, { role: 'developer' }))
    const old = app('c', { created_at: 10, owner_id: 'dev', redirect_uris: ['https://a.example/cb'] })
    const young = app('a', { created_at: 30, owner_id: 'dev', public: true, disabled_at: 40 })
    const twin = app('b', { created_at: 30, owner_id: 'dev' })
    for (const each of [young, old, twin, app('d', { owner_id: 'other' }), app('e')]) {
      await apps.create(each, null)
    }
    assert.deepEqual(await apps.ofOwner('dev'), [twin, young, old])
    assert.deepEqual(await apps.ofOwner('nobody'), [])
  })

  check('an app can be disabled and enabled again', open, async ({ apps }) => {
    await apps.create(app('a'), null)
    assert.equal(await apps.setDisabled('a', 5), true)
    assert.equal((await apps.find('a'))?.disabled_at, 5)
    assert.equal(await apps.setDisabled('a', null), true)
    assert.equal((await apps.find('a'))?.disabled_at, null)
    assert.equal(await apps.setDisabled('nothing', 5), false)
  })

  check('a developer undoes their own word alone; the operator’s stands above it', open, async ({ apps }) => {
    const state = async () => {
      const { disabled_at, disabled_by_owner } = (await apps.find('a')) ?? {}
      return [disabled_at, disabled_by_owner]
    }
    await apps.create(app('a'), null)
    assert.equal(await apps.setDisabledByOwner('a', null), false)
    assert.equal(await apps.setDisabledByOwner('a', 5), true)
    assert.equal(await apps.setDisabledByOwner('a', 6), false)
    assert.deepEqual(await state(), [5, true])
    assert.equal(await apps.setDisabledByOwner('a', null), true)
    assert.deepEqual(await state(), [null, false])

    await apps.setDisabledByOwner('a', 7)
    await apps.setDisabled('a', 8)
    assert.deepEqual(await state(), [8, false], 'now it is the operator’s')
    assert.equal(await apps.setDisabledByOwner('a', null), false)
    assert.equal(await apps.setDisabledByOwner('a', 9), false)
    assert.deepEqual(await state(), [8, false])
    await apps.setDisabled('a', null)
    assert.deepEqual(await state(), [null, false])

    await apps.setDisabledByOwner('a', 10)
    await apps.setDisabled('a', null)
    assert.deepEqual(await state(), [null, false], 'the operator enables it too')
    assert.equal(await apps.setDisabledByOwner('nothing', 5), false)
  })

  check('a new secret pushes out all but the newest, of its own app only', open, async ({ apps }) => {
    await apps.create(app('a'), secret('s1', 10))
    await apps.create(app('b'), secret('other', 10, 'b'))
    await apps.addSecret(secret('s2', 20), 2)
    assert.deepEqual(await apps.secrets('a'), [secret('s2', 20), secret('s1', 10)])
    await apps.addSecret(secret('s3', 30), 2)
    assert.deepEqual(await apps.secrets('a'), [secret('s3', 30), secret('s2', 20)])
    assert.deepEqual(await apps.secrets('b'), [secret('other', 10, 'b')])
  })

  check('the secret just added stays, though the clock was ahead before', open, async ({ apps }) => {
    await apps.create(app('a'), secret('s1', 500))
    await apps.addSecret(secret('s2', 100), 1)
    assert.deepEqual(await apps.secrets('a'), [secret('s2', 100)])
  })

  check('a secret can be removed, old or new, but not the last one', open, async ({ apps }) => {
    await apps.create(app('a'), secret('s1', 10))
    await apps.create(app('b'), secret('other', 10, 'b'))
    assert.equal(await apps.removeSecret('a', 's1'), false)
    await apps.addSecret(secret('s2', 20), 2)
    assert.equal(await apps.removeSecret('a', 'other'), false, 'of another app')
    assert.equal(await apps.removeSecret('a', 's2'), true)
    assert.equal(await apps.removeSecret('a', 's2'), false)
    assert.deepEqual(await apps.secrets('a'), [secret('s1', 10)])
    assert.deepEqual(await apps.secrets('b'), [secret('other', 10, 'b')])
  })

  check(
    'rotations at once keep two secrets of an app, and removals at once leave one',
    open,
    async ({ apps }) => {
      const ids = Array.from({ length: 40 }, (_, i) => `app${i}`)
      for (const id of ids) await apps.create(app(id), secret(`${id}.0`, 10, id))
      // Pairs: a third rotation would mend what two at once had left.
      const rotate = (id: string, n: number) => apps.addSecret(secret(`${id}.${n}`, 20, id), 2)
      await Promise.all(ids.flatMap(id => [rotate(id, 1), rotate(id, 2)]))
      const kept = await Promise.all(ids.map(id => apps.secrets(id)))
      assert.deepEqual(
        kept.map(({ length }) => length),
        ids.map(() => 2),
      )
      await Promise.all(kept.flat().map(({ app_id, id }) => apps.removeSecret(app_id, id)))
      const left = await Promise.all(ids.map(id => apps.secrets(id)))
      assert.deepEqual(
        left.map(({ length }) => length),
        ids.map(() => 1),
      )
    },
  )

  check(
    'facts of a client: its app and secrets, and a text that changes with the keys',
    open,
    async storage => {
      const { apps, clients, keys } = storage
      for (const client_id of ['a', '\0', '']) {
        assert.deepEqual(await clients.facts(client_id), {
          client_id,
          app: null,
          secrets: [],
          keys_state: '',
        })
      }
      await apps.create(app('public'), null)
      await apps.create(app('b'), secret('other', 10, 'b'))
      await apps.create(app('a'), secret('s1', 10))
      await apps.addSecret(secret('s2', 20), 2)
      await apps.touchSecret('a', 's1', 6000)
      assert.deepEqual(await clients.facts('a'), {
        client_id: 'a',
        app: app('a'),
        secrets: [secret('s2', 20), { ...secret('s1', 10), last_used_at: 6000 }],
        keys_state: '',
      })
      assert.deepEqual(await clients.facts('public'), {
        client_id: 'public',
        app: app('public'),
        secrets: [],
        keys_state: '',
      })
      const texts: string[] = []
      const read = async () => {
        const facts = await Promise.all(['a', 'public', 'nobody'].map(id => clients.facts(id)))
        assert.equal(new Set(facts.map(each => each.keys_state)).size, 1, 'the same for everyone')
        texts.push(facts[0]?.keys_state ?? '')
      }
      const key = (id: string, use: 'sign' | 'cookie', created_at: number) => ({
        id,
        use,
        secret: `of ${id}`,
        created_at,
        retired_at: null,
      })
      await read()
      await keys.addFirst(key('k1', 'sign', 10))
      await read()
      await keys.addFirst(key('k2', 'cookie', 10))
      await read()
      await keys.rotate([key('k3', 'sign', 20)], 0)
      await read()
      await keys.rotate([key('k4', 'cookie', 30)], 25)
      await read()
      // The first one, retired at 20, goes.
      await keys.rotate([key('k5', 'sign', 30)], 25)
      await read()
      assert.equal(new Set(texts).size, texts.length)
      await read()
      assert.equal(texts.at(-1), texts.at(-2), 'unchanged keys have the same text')
    },
  )

  check('the use of a secret is remembered to the minute', open, async ({ apps }) => {
    const used = async () => (await apps.secrets('a'))[0]?.last_used_at
    await apps.create(app('a'), secret('s', 10))
    await apps.touchSecret('a', 's', 6000)
    assert.equal(await used(), 6000)
    await apps.touchSecret('a', 's', 6059)
    assert.equal(await used(), 6000)
    await apps.touchSecret('a', 's', 6060)
    assert.equal(await used(), 6060)
    await apps.touchSecret('a', 'nothing', 6060)
  })
}
