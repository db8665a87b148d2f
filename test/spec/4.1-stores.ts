import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { grant, redirectUri } from '../helpers/authorize.ts'
import { sampleStore } from '../helpers/orders.ts'
import { refusal, startWorld, stores, type World } from '../helpers/world.ts'
import { byTest } from '../helpers/by.ts'

let world: World

before(async () => {
  world = await startWorld([1001])
  for (const email of ['owner@example.com', 'other@example.com']) await world.server.newAccount(email)
  await world.push(
    sampleStore({ id: 1002, name: 'Mill Lane' }),
    sampleStore({ id: 1003, name: 'Quay' }),
    sampleStore({ id: 2001, name: 'Elsewhere', merchant: 'other@example.com' }),
  )
})

after(() => world.close())

const idsFor = async (token: string): Promise<number[]> => {
  const answer = await world.server.get(stores, token)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.map(({ id }: { id: number }) => id)
}

describe('spec 4.1: list stores', () => {
  test('limited to the stores the token is authorized against', async () => {
    assert.deepEqual(await idsFor(await world.token()), [1001])
  })

  test('design: an app that no merchant allowed and no operator linked sees none', async () => {
    const stranger = await world.server.newApp()
    assert.deepEqual(await idsFor(await world.server.token(stranger)), [])
  })

  test('a store is listed for two apps, each by its own authorization', async () => {
    const second = await world.server.newApp()
    await world.server.apps.authorize(second.client_id, [1001n, 1003n], byTest)
    assert.deepEqual(await idsFor(await world.server.token(second)), [1001, 1003])
    assert.deepEqual(await idsFor(await world.token()), [1001])
  })

  test('a code token lists what the merchant picked', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const { access_token } = await grant(world.server, app, { stores: ['1001', '1003'] })
    assert.deepEqual(await idsFor(access_token), [1001, 1003])
  })

  test('design: the app’s own token lists the stores of every merchant who allowed it, and linked ones', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const own = await world.server.token(app)
    const first = await grant(world.server, app, { stores: ['1002'] })
    const second = await grant(world.server, app, { stores: ['2001'], email: 'other@example.com' })
    await world.server.apps.authorize(app.client_id, [1003n], byTest)
    assert.deepEqual(await idsFor(own), [1002, 1003, 2001])
    // A code token speaks for one merchant alone.
    assert.deepEqual(await idsFor(first.access_token), [1002])
    assert.deepEqual(await idsFor(second.access_token), [2001])
  })

  test('design: a new consent replaces the stores of the last one', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const before = await grant(world.server, app, { stores: ['1001', '1002'] })
    const after = await grant(world.server, app, { stores: ['1003'] })
    assert.deepEqual(await idsFor(after.access_token), [1003])
    assert.deepEqual(await idsFor(before.access_token), [1003])
  })

  test('a renamed store is listed by its new name', async () => {
    await world.push(sampleStore({ name: 'Harbour Street West', timezone: 'Europe/Paris' }))
    assert.deepEqual(await world.list(stores), [
      { id: 1001, name: 'Harbour Street West', timezone: 'Europe/Paris' },
    ])
  })

  test('design: a store that changes its merchant leaves the former one’s authorizations, not the operator’s', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const linked = await world.server.newApp()
    await world.push(sampleStore({ id: 3001 }))
    await world.server.apps.authorize(linked.client_id, [3001n], byTest)
    const { access_token } = await grant(world.server, app, { stores: ['1001', '3001'] })
    await world.push(sampleStore({ id: 3001, merchant: 'other@example.com' }))
    assert.deepEqual(await idsFor(access_token), [1001])
    assert.deepEqual(await idsFor(await world.server.token(app)), [1001])
    assert.deepEqual(await idsFor(await world.server.token(linked)), [3001])
  })

  for (const scope of [
    'integration.order',
    'integration.inventory',
    'integration.order integration.inventory',
  ]) {
    test(`its scope is integration.store: ${scope} is 403`, async () => {
      const token = await world.server.token(world.reader, scope)
      assert.deepEqual(refusal(await world.server.get(stores, token)), [403, 'scope_insufficient'])
    })
  }
})
