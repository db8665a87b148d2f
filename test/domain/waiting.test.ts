import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WaitingClient } from '../../src/domain/reading/waiting/waiter.ts'
import { createWaiting } from '../../src/domain/reading/waiting/waiting.ts'
import { fail } from '../../src/errors.ts'
import { type AccessClaim, type Storage, StorageUnavailable } from '../../src/storage/port/index.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { openStorage } from '../helpers/storage.ts'
import { app, store, write } from '../storage/suite/fixtures.ts'

test('of thousands of requests that wait, exactly those end whose access has ended', {
  timeout: 60_000,
}, async () => {
  const storage = await openStorage(await emptyDatabase())
  // More than are asked about at once, of two apps in turn.
  const stores = Array.from({ length: 1100 }, (_, i) => store(BigInt(i + 1)))
  const ids = stores.map(({ id }) => id)
  await write(storage, { stores })
  const scope = 'integration.store integration.order'
  for (const app_id of ['one', 'two']) {
    await storage.apps.create(app(app_id, { scope }), null)
    await storage.authorizations.save(
      { id: `of ${app_id}`, app_id, account_id: null, scope },
      ids,
      'add',
      1000,
    )
  }
  const ended: Record<string, number> = {}
  const waiting = createWaiting({ storage, limit: 5000 })
  const all = ids.flatMap((store_id, i) =>
    ['one', 'two'].map(async app_id => {
      // A token of the app, or one of a consent.
      const authorization_id = i % 2 === 0 ? null : `of ${app_id}`
      const claim: AccessClaim = { app_id, authorization_id, jti: `${app_id} ${i % 8}` }
      const client: WaitingClient = { hasLeft: false, leave() {}, waited: 0, woken_at: null }
      const until = waiting.forStore({ claim, store_id, kinds: ['order'], above: 0 }, { seconds: 60, client })
      const [result] = await Promise.allSettled([until])
      const key = `${app_id} ${result.status}`
      ended[key] = (ended[key] ?? 0) + 1
    }),
  )
  assert.equal(waiting.size, 2200)
  await storage.authorizations.revoke('of two', 2000)
  waiting.accessChanged()
  while (waiting.size > 1100) await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.deepEqual(ended, { 'two rejected': 1100 })
  waiting.close()
  await Promise.all(all)
  assert.deepEqual(ended, { 'two rejected': 1100, 'one fulfilled': 1100 })
  await storage.close()
})

test('a question that takes longer than a tick does not put off the one about access', {
  timeout: 60_000,
}, async () => {
  const storage = await openStorage(await emptyDatabase())
  await write(storage, { stores: [store(1n)] })
  const asked: string[] = []
  const slow = Promise.withResolvers<void>()
  const changes: Storage['changes'] = {
    ...storage.changes,
    state: async () => null,
    async moved() {
      asked.push('moved')
      await slow.promise
      return []
    },
    async access(reads) {
      asked.push('access')
      return storage.changes.access(reads)
    },
  }
  const waiting = createWaiting({ storage: { changes }, limit: 1 })
  const claim: AccessClaim = { app_id: 'none', authorization_id: null, jti: 'j' }
  const client: WaitingClient = { hasLeft: false, leave() {}, waited: 0, woken_at: null }
  const until = waiting.forStore({ claim, store_id: 1n, kinds: ['order'], above: 0 }, { seconds: 60, client })
  // The first tick asks without access; the second comes while that question is not answered.
  setTimeout(slow.resolve, 1100)
  await assert.rejects(until)
  assert.deepEqual(asked.slice(0, 2), ['moved', 'access'])
  await storage.close()
})

test('a database that does not answer for a moment ends no wait for a list; the end of its access does', async () => {
  const storage = await openStorage(await emptyDatabase())
  const noticed: unknown[] = []
  const notice = (error: unknown) => void noticed.push(error)
  const changes: Storage['changes'] = { ...storage.changes, state: async () => null }
  const waiting = createWaiting({ storage: { changes }, limit: 9, notice })
  const claim: AccessClaim = { app_id: 'none', authorization_id: null, jti: 'j' }
  const hold = (key: string, read: () => Promise<string>) => {
    const client: WaitingClient = { hasLeft: false, leave() {}, waited: 0, woken_at: null }
    const list = { key, known: 'old', read, isDueAfter: () => false }
    return waiting.forList({ claim, list }, { seconds: 60, client })
  }
  const fault = new StorageUnavailable('the database does not answer')
  const versions = [() => Promise.reject(fault), async () => 'old', async () => 'new']
  const changed = hold('changed', () => versions.shift()?.() ?? Promise.resolve('new'))
  const ended = hold('ended', async () => {
    throw fail('token_revoked', 'revoked')
  })
  await Promise.all([
    assert.rejects(ended, { code: 'token_revoked' }),
    changed.then(woken_at => assert.ok(woken_at !== null)),
  ])
  assert.deepEqual(noticed, [fault])
  assert.equal(versions.length, 0)
  await storage.close()
})
