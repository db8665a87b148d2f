import assert from 'node:assert/strict'
import { auditEntry, byServer } from '../../../src/domain/audit/audit.ts'
import type { Key, NewArtifact } from '../../../src/storage/port/index.ts'
import { account, check, type Open } from './fixtures.ts'

const key = (id: string, created_at: number, use: Key['use'] = 'sign'): Key => ({
  id,
  use,
  secret: `secret of ${id}`,
  created_at,
  retired_at: null,
})

export function oauthTests(open: Open): void {
  check('an artifact is kept by kind and hash, overwritten, removed', open, async ({ artifacts }) => {
    await artifacts.put('code', 'h', '{"a":1}', 100)
    await artifacts.put('refresh', 'h', '{"b":1}', 200)
    assert.deepEqual(await artifacts.find('code', 'h'), {
      payload: '{"a":1}',
      expires_at: 100,
      consumed_at: null,
    })
    await artifacts.put('code', 'h', '{"a":2}', 300)
    assert.deepEqual(await artifacts.find('code', 'h'), {
      payload: '{"a":2}',
      expires_at: 300,
      consumed_at: null,
    })
    await artifacts.remove('code', 'h')
    assert.equal(await artifacts.find('code', 'h'), null)
    assert.equal((await artifacts.find('refresh', 'h'))?.payload, '{"b":1}')
  })

  check(
    '64 parallel tries to consume an artifact give one true and one follower, and none later',
    open,
    async ({ artifacts }) => {
      const next = (hash: string): NewArtifact => ['refresh', hash, `{"of":"${hash}"}`, 3000]
      await artifacts.put('refresh', 'h', '{}', 1000)
      const tries = await Promise.all(
        Array.from({ length: 64 }, (_, i) => artifacts.consume('refresh', 'h', 500 + i, next(`next${i}`))),
      )
      assert.equal(tries.filter(Boolean).length, 1)
      const first = tries.indexOf(true)
      assert.equal((await artifacts.find('refresh', 'h'))?.consumed_at, 500 + first)
      for (let i = 0; i < 64; i++) {
        const follower = { payload: `{"of":"next${i}"}`, expires_at: 3000, consumed_at: null }
        assert.deepEqual(await artifacts.find('refresh', `next${i}`), i === first ? follower : null)
      }
      await artifacts.put('refresh', 'h', '{}', 2000)
      assert.equal(await artifacts.consume('refresh', 'h', 700, next('late')), false)
      assert.equal((await artifacts.find('refresh', 'h'))?.consumed_at, 500 + first)
      assert.equal(await artifacts.consume('refresh', 'other', 500, next('late')), false)
      assert.equal(await artifacts.consume('code', 'h', 500, next('late')), false)
      assert.equal(await artifacts.find('refresh', 'late'), null)
    },
  )

  check(
    'a record is stored with a consumed artifact; a live one with its key prevents it',
    open,
    async ({ artifacts }) => {
      const record = (payload: string): NewArtifact => ['record', 'key', payload, 1100]
      for (const hash of ['a', 'b', 'c']) await artifacts.put('refresh', hash, '{}', 9000)
      const consume = (hash: string, now: number) =>
        artifacts.consume('refresh', hash, now, ['refresh', `next ${hash}`, '{}', 9000], record(hash))
      const found = async (hash: string) => [
        (await artifacts.find('refresh', hash))?.consumed_at,
        (await artifacts.find('refresh', `next ${hash}`))?.payload,
        (await artifacts.find('record', 'key'))?.payload,
      ]
      assert.equal(await consume('a', 500), true)
      assert.deepEqual(await found('a'), [500, '{}', 'a'])
      assert.equal(await consume('a', 600), false)
      assert.equal(await consume('b', 1099), false)
      assert.deepEqual(await found('b'), [null, undefined, 'a'])
      assert.equal(await consume('b', 1100), true, 'the record has expired')
      assert.deepEqual(await found('b'), [1100, '{}', 'b'])
      const both = await Promise.all([consume('c', 1100), consume('c', 1100)])
      assert.deepEqual(both.sort(), [false, true])
    },
  )

  check('of parallel artifacts with the same record, one is consumed', open, async ({ artifacts }) => {
    const hashes = Array.from({ length: 16 }, (_, i) => `h${i}`)
    for (const hash of hashes) await artifacts.put('code', hash, '{}', 9000)
    const results = await Promise.all(
      hashes.map(hash =>
        artifacts.consume(
          'code',
          hash,
          5,
          ['refresh', `next ${hash}`, '{}', 9000],
          ['record', 'key', hash, 99],
        ),
      ),
    )
    assert.equal(results.filter(Boolean).length, 1)
    for (const [i, hash] of hashes.entries()) {
      assert.equal((await artifacts.find('code', hash))?.consumed_at, results[i] ? 5 : null)
      assert.equal((await artifacts.find('refresh', `next ${hash}`)) !== null, results[i])
    }
    assert.equal((await artifacts.find('record', 'key'))?.payload, hashes[results.indexOf(true)])
  })

  check('an artifact whose follower cannot be put is not consumed', open, async ({ artifacts }) => {
    await artifacts.put('refresh', 'h', '{}', 1000)
    const impossible = ['refresh', 'next', null as unknown as string, 2000] as NewArtifact
    await assert.rejects(artifacts.consume('refresh', 'h', 500, impossible))
    assert.equal((await artifacts.find('refresh', 'h'))?.consumed_at, null)
    assert.equal(await artifacts.consume('refresh', 'h', 600, ['refresh', 'next', '{}', 2000]), true)
  })

  check('a revoked token is remembered; revoking it again is no error', open, async ({ revokedTokens }) => {
    await revokedTokens.add('j', 100)
    await revokedTokens.add('j', 100)
    assert.equal(await revokedTokens.has('j'), true)
    assert.equal(await revokedTokens.has('k'), false)
  })

  check(
    'a family ends from a generation on; an earlier one widens it, a later one changes nothing',
    open,
    async ({ revokedTokens }) => {
      const ended = async (id: string) =>
        Promise.all([0, 1, 2, 3].map(generation => revokedTokens.has('token', { id, generation })))
      await revokedTokens.endFamily({ id: 'f', generation: 2 }, 100)
      assert.deepEqual(await ended('f'), [false, false, true, true])
      assert.deepEqual(await ended('other'), [false, false, false, false])
      assert.equal(await revokedTokens.has(null, { id: 'f', generation: 5 }), true)
      await revokedTokens.endFamily({ id: 'f', generation: 3 }, 100)
      assert.deepEqual(await ended('f'), [false, false, true, true])
      await revokedTokens.endFamily({ id: 'f', generation: 1 }, 100)
      assert.deepEqual(await ended('f'), [false, true, true, true])
      await revokedTokens.add('token', 100)
      assert.deepEqual(await ended('other'), [true, true, true, true], 'the token itself')
    },
  )

  check('the end of a family has an audit entry, unless nothing ended', open, async storage => {
    const entry = (id: string) => auditEntry({ now: () => 5 }, byServer, 'tokens_ended', { detail: id })
    for (const [detail, generation] of Object.entries({ first: 2, again: 2, later: 3, earlier: 1 }))
      await storage.revokedTokens.endFamily({ id: 'f', generation }, 100, entry(detail))
    const { lines } = await storage.audit.list({ limit: 9, scan_limit: 9 })
    assert.deepEqual(
      lines.map(({ detail }) => detail),
      ['earlier', 'first'],
    )
  })

  check('addFirst: of several first keys one stays, for each use', open, async ({ keys }) => {
    await Promise.all(['a', 'b', 'c'].map(id => keys.addFirst(key(id, 10))))
    const [first, ...rest] = await keys.list('sign')
    assert.deepEqual(rest, [])
    assert.deepEqual(first, key(first?.id ?? '', 10))
    await keys.addFirst(key('k', 20, 'cookie'))
    assert.deepEqual(await keys.list('cookie'), [key('k', 20, 'cookie')])
  })

  check('rotate: adds, retires the others of the use, removes the long retired', open, async ({ keys }) => {
    await keys.addFirst(key('k', 10, 'cookie'))
    await keys.addFirst(key('s1', 10))
    await keys.rotate([key('s2', 20)], 0)
    assert.deepEqual(await keys.list('sign'), [key('s2', 20), { ...key('s1', 10), retired_at: 20 }])
    await keys.rotate([key('s3', 30)], 20)
    assert.deepEqual(await keys.list('sign'), [
      key('s3', 30),
      { ...key('s2', 20), retired_at: 30 },
      { ...key('s1', 10), retired_at: 20 },
    ])
    await keys.rotate([key('s4', 40)], 21)
    assert.deepEqual(
      (await keys.list('sign')).map(({ id }) => id),
      ['s4', 's3', 's2'],
    )
    assert.deepEqual(await keys.list('cookie'), [key('k', 10, 'cookie')])
  })

  check('rotate: keys of both uses at once, or none', open, async ({ keys }) => {
    await keys.addFirst(key('k1', 10, 'cookie'))
    await keys.addFirst(key('s1', 10))
    await keys.rotate([key('s2', 20), key('k2', 20, 'cookie')], 0)
    const both = async () => [await keys.list('sign'), await keys.list('cookie')]
    const rotated = [
      [key('s2', 20), { ...key('s1', 10), retired_at: 20 }],
      [key('k2', 20, 'cookie'), { ...key('k1', 10, 'cookie'), retired_at: 20 }],
    ]
    assert.deepEqual(await both(), rotated)
    // One that is there already.
    await assert.rejects(keys.rotate([key('k3', 30, 'cookie'), key('s2', 30)], 0))
    assert.deepEqual(await both(), rotated)
  })

  check(
    'a throttle counts until it expires, which later hits do not delay, and then begins again',
    open,
    async ({ throttles }) => {
      assert.equal(await throttles.count('ip', 600), 0)
      assert.equal(await throttles.hit('ip', 600, 660), 1)
      assert.equal(await throttles.hit('ip', 659, 719), 2)
      assert.equal(await throttles.count('ip', 659), 2)
      assert.equal(await throttles.count('other', 659), 0)
      assert.equal(await throttles.count('ip', 660), 0)
      assert.equal(await throttles.hit('ip', 660, 720), 1)
      await throttles.clear('ip')
      assert.equal(await throttles.count('ip', 661), 0)
    },
  )

  check('no hit is lost when many come at once', open, async ({ throttles }) => {
    const counts = await Promise.all(Array.from({ length: 50 }, () => throttles.hit('ip', 600, 660)))
    assert.deepEqual(
      counts.sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
  })

  check('purge deletes what has expired and nothing else', open, async storage => {
    const { accounts, sessions, artifacts, revokedTokens, throttles } = storage
    await accounts.create(account('ada'))
    for (const [name, expires_at] of [
      ['old', 100],
      ['now', 200],
      ['live', 201],
    ] as const) {
      await sessions.create({
        hash: name,
        account_id: 'ada',
        password_hash: 'hash',
        created_at: 1,
        expires_at,
      })
      await artifacts.put('code', name, '{}', expires_at)
      await revokedTokens.add(name, expires_at)
    }
    await throttles.hit('old', 150, 200)
    await throttles.hit('live', 150, 100_000)
    await storage.purge(200)
    const left = await Promise.all(
      ['old', 'now', 'live'].map(async name => [
        (await sessions.findAccount(name, 0)) !== null,
        (await artifacts.find('code', name)) !== null,
        await revokedTokens.has(name),
      ]),
    )
    assert.deepEqual(left, [
      [false, false, false],
      [false, false, false],
      [true, true, true],
    ])
    // Asked about a moment before it expires, so that only its absence can make it 0.
    assert.equal(await throttles.count('old', 160), 0)
    assert.equal(await throttles.count('live', 160), 1)
    assert.notEqual(await accounts.find('ada'), null)
  })

  check('purge deletes any number of rows', open, async storage => {
    const ids = Array.from({ length: 2500 }, (_, i) => `j${i}`)
    const parts = Array.from({ length: 25 }, (_, i) => ids.slice(i * 100, i * 100 + 100))
    for (const part of parts) await Promise.all(part.map(jti => storage.revokedTokens.add(jti, 100)))
    await storage.purge(200)
    for (const part of parts) {
      const left = await Promise.all(part.map(jti => storage.revokedTokens.has(jti)))
      assert.equal(left.filter(Boolean).length, 0)
    }
  })
}
