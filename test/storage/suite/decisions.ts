import assert from 'node:assert/strict'
import type { AuditEntry, Storage } from '../../../src/storage/port/index.ts'
import { account, app, check, type Open, store, write } from './fixtures.ts'

const merchant = 'ada@example.com'
const by = { app_id: 'a', account_id: 'ada' }
const request = (hash: string) => ({ hash, expires_at: 1000 })

const entry = (action: AuditEntry['action'], id: string): AuditEntry => ({
  id,
  at: 50,
  action,
  actor_kind: 'account',
  actor_id: 'ada',
  actor_name: merchant,
  ...by,
  store_ids: [],
  detail: null,
  address: null,
  request_id: null,
})

const prepare = async (storage: Storage) => {
  await storage.apps.create(app('a'), null)
  await storage.accounts.create(account('ada'))
  await write(storage, { stores: [1n, 2n].map(id => store(id, { merchant })) })
}

const allow = ({ decisions }: Storage, hash: string, id: string, store_ids: bigint[]) =>
  decisions.allow(
    request(hash),
    { id, ...by, scope: 'integration.store', merchant },
    store_ids,
    50,
    entry('access_allowed', id),
  )

export function decisionTests(open: Open): void {
  check('of parallel decisions on a request one is stored, with what it changes', open, async storage => {
    await prepare(storage)
    const { decisions, authorizations, audit } = storage
    for (let round = 0; round < 6; round++) {
      const hash = `h${round}`
      const name = (i: number) => `${round}.${i}`
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          i % 2 === round % 2
            ? allow(storage, hash, name(i), [BigInt(1 + (i % 4 > 1 ? 1 : 0))])
            : decisions.deny(request(hash), by, entry('access_denied', name(i))),
        ),
      )
      assert.deepEqual(outcomes.toSorted(), ['recorded', ...Array(7).fill('too_late')])
      const first = outcomes.indexOf('recorded')
      const { lines } = await audit.list({ limit: 100, scan_limit: 1000 })
      assert.deepEqual(
        lines.map(({ id }) => id).filter(id => id.startsWith(`${round}.`)),
        [name(first)],
      )
      const live = await authorizations.findLive('a', 'ada')
      const found = await decisions.find(hash, 999)
      const allowed = first % 2 === round % 2
      assert.deepEqual(found, {
        decision: allowed ? 'allow' : 'deny',
        ...by,
        authorization_id: allowed ? name(first) : null,
      })
      assert.equal(live?.id, allowed ? name(first) : undefined)
      if (live) {
        assert.deepEqual(await authorizations.storeIds(live.id), [first % 4 > 1 ? 2n : 1n])
        await authorizations.revoke(live.id, 60)
      }
    }
  })

  check(
    'an Allow for a store that is not the merchant’s leaves the request undecided',
    open,
    async storage => {
      await prepare(storage)
      const { decisions, audit } = storage
      assert.equal(await allow(storage, 'h', 'x', [1n, 99n]), 'not_owner')
      assert.equal(await decisions.find('h', 50), null)
      assert.equal(await storage.authorizations.findLive('a', 'ada'), null)
      assert.deepEqual((await audit.list({ limit: 10, scan_limit: 10 })).lines, [])
      assert.equal(await allow(storage, 'h', 'y', [1n]), 'recorded')
    },
  )

  check('an Allow names the authorization that was live before', open, async storage => {
    await prepare(storage)
    await allow(storage, 'h1', 'x', [1n])
    await allow(storage, 'h2', 'y', [2n])
    assert.equal((await storage.decisions.find('h2', 50))?.authorization_id, 'x')
    assert.deepEqual(await storage.authorizations.storeIds('x'), [2n])
    assert.equal(await storage.decisions.find('h2', 1000), null, 'expired')
  })
}
