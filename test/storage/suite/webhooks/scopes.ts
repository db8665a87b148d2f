import assert from 'node:assert/strict'
import type { Storage } from '../../../../src/storage/port/index.ts'
import { app, check, type Open } from '../fixtures.ts'
import { allow, endpoint, move, prepare, scope as every } from './fixtures.ts'

const store = 'integration.store'
const order = 'integration.order'
const inventory = 'integration.inventory'
const lease = { id: 'x', now_ms: 1000, until_ms: 31_000 }

/** What the app may do with each store: 1, 2, 3. */
const links: [store_id: bigint, scope: string][] = [
  [1n, store],
  [2n, `${store} ${order}`],
  [3n, `${inventory} ${store}`],
]

/** The links, an endpoint, and then a change of each store. */
async function begin(storage: Storage): Promise<void> {
  await prepare(storage)
  for (const [store_id, scope] of links) await link(storage, store_id, scope)
  await storage.webhooks.create(endpoint('we_1'), 10)
  for (const [store_id] of links) await move(storage, store_id)
}

const link = ({ authorizations }: Storage, store_id: bigint, scope: string) =>
  authorizations.save({ id: 'link', app_id: 'a', account_id: null, scope }, [store_id], 'add', 50)

const setScope = ({ apps }: Storage, scope: string) => apps.update({ ...app('a'), scope }, [])

const accessVersion = async ({ webhooks }: Storage) => (await webhooks.active())[0]?.access_version

/** The stores that are due, in the three ways to ask and by a lease; they must agree. */
async function due({ webhooks, changes }: Storage): Promise<bigint[]> {
  const history = await changes.history()
  const all = links.map(([store_id]) => store_id)
  const found = await Promise.all(
    [{ store_ids: all }, { above: 0 }, { endpoint_id: 'we_1', after: null }].map(scope =>
      webhooks.due(scope, history, 1000, 100),
    ),
  )
  const pairs = all.map(store_id => ({ endpoint_id: 'we_1', store_id }))
  const leased = await webhooks.lease(pairs, history, lease)
  // So that the next lease finds them again.
  const released = leased.map(({ store_id }) => ({
    ...outcome,
    id: `msg_${store_id}`,
    store_id,
    position: { history, seq: 0 },
  }))
  await webhooks.settle(released)
  const ids = [...found, leased].map(rows => rows.map(({ store_id }) => store_id).sort())
  for (const each of ids) assert.deepEqual(each, ids[0])
  return ids[0] ?? []
}

const outcome = {
  endpoint_id: 'we_1',
  type: 'store.changed',
  body: '{}',
  created_at_ms: 1,
  lease: 'x',
  state: 'failed',
  attempted_at_ms: 0,
  duration_ms: 1,
  status: 500,
  problem: 'HTTP 500',
  answer: null,
} as const

async function heads({ changes }: Storage): Promise<bigint[] | undefined> {
  const claim = { app_id: 'a', authorization_id: null, jti: 'j' }
  const page = { offset: 0, after: null, limit: 100 }
  const found = await changes.heads({ claim, scopes: [order, inventory], ...page })
  return found.heads?.map(({ store_id }) => store_id)
}

export function webhookScopeTests(open: Open): void {
  check(
    'a store is due when the app may read its orders or items, as heads lists it',
    open,
    async storage => {
      await begin(storage)
      assert.deepEqual(await due(storage), [2n, 3n])
      assert.deepEqual(await heads(storage), [2n, 3n])
    },
  )

  check('the app needs a scope that the store is linked with', open, async storage => {
    await begin(storage)
    for (const [scope, expected] of [
      [store, []],
      ['', []],
      [order, [2n]],
      [`${store} ${inventory}`, [3n]],
      [`x${order} ${inventory}.x`, []],
      [every, [2n, 3n]],
    ] as const) {
      await setScope(storage, scope)
      assert.deepEqual(await due(storage), expected, scope)
    }
  })

  check('of two links to a store one with the scope is enough', open, async storage => {
    await begin(storage)
    await allow(storage, [1n])
    assert.deepEqual(await due(storage), [1n, 2n, 3n])
  })

  check('a delivery is not sent again while the app may not read its store', open, async storage => {
    await begin(storage)
    const { webhooks } = storage
    const leased = async () =>
      (await webhooks.leasePending(['we_1'], { ...lease, now_ms: 9e9, until_ms: 9e9 + 1 }, 10)).map(
        ({ id }) => id,
      )
    const add = (id: string, store_id: bigint | null) =>
      webhooks.add({
        endpoint_id: 'we_1',
        id,
        type: 'store.changed',
        store_id,
        body: '{}',
        created_at_ms: 1,
      })
    await add('msg_1', 1n)
    await add('msg_2', 2n)
    assert.deepEqual(await leased(), ['msg_2'])
    const refused = await webhooks.delivery('msg_1')
    assert.deepEqual(
      [refused?.state, refused?.problem],
      ['failed', 'the app may not read the store any more'],
    )
    await webhooks.resend('msg_2')
    await setScope(storage, `${store} ${inventory}`)
    assert.deepEqual(await leased(), [])
    assert.equal((await webhooks.delivery('msg_2'))?.state, 'failed')
    await setScope(storage, every)
    await webhooks.resend('msg_2')
    assert.deepEqual(await leased(), ['msg_2'])
  })

  check('the access version rises when an app may read more of a store', open, async storage => {
    await begin(storage)
    await link(storage, 2n, `${store} ${order}`)
    await storage.authorizations.revokeApp('a', [3n], 60)
    await allow(storage, [3n])
    assert.equal(await accessVersion(storage), 0, 'nothing, less, and a store that it could not read')
    await link(storage, 1n, every)
    assert.equal(await accessVersion(storage), 1, 'more scopes')
    await allow(storage, [1n, 3n])
    assert.equal(await accessVersion(storage), 2, 'a second link to a store')
  })
}
