import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, grant, redirectUri, refresh } from '../helpers/authorize.ts'
import { sampleOrder, sampleStore } from '../helpers/orders.ts'
import { answerOf } from '../helpers/server.ts'
import {
  activate,
  lists,
  orders,
  refusal,
  startWorld,
  stores,
  type World,
  withQuery,
} from '../helpers/world.ts'
import { byTest } from '../helpers/by.ts'

let world: World

before(async () => {
  world = await startWorld()
  await world.server.newAccount('owner@example.com')
  await world.push(
    sampleStore({ id: 1002, name: 'Mill Lane' }),
    sampleOrder(),
    sampleOrder({ store_id: 1002 }),
  )
})

after(() => world.close())

async function newApp(): Promise<Client> {
  const { client_id, client_secret } = await world.server.newApp({ redirect_uris: [redirectUri] })
  return { client_id, client_secret }
}

const ofStore = (path: string, query: object, store_id: string) =>
  withQuery(path, { ...query, ...('store_id' in query && { store_id }) })

const ask = (path: string, token: string) => world.server.get(path, token)

const activateWith = async (store_id: string, token: string) =>
  answerOf(
    await fetch(world.server.base + activate(store_id), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    }),
  )

const listed = async (token: string): Promise<number[]> =>
  (await ask(stores, token)).json.data.map(({ id }: { id: number }) => id)

describe('design: revocation holds at the next request', () => {
  test('one store of an app’s own token: that store is 403 everywhere, the other stays', async () => {
    const app = await newApp()
    await world.server.apps.authorize(app.client_id, [1001n, 1002n], byTest)
    const token = await world.server.token(app)
    assert.deepEqual(await listed(token), [1001, 1002])
    await world.server.apps.revoke(app.client_id, [1002n], byTest)
    assert.deepEqual(await listed(token), [1001])
    for (const { path, query } of lists.slice(1)) {
      assert.deepEqual(refusal(await ask(ofStore(path, query, '1002'), token)), [403, 'store_forbidden'])
      assert.equal((await ask(ofStore(path, query, '1001'), token)).status, 200)
    }
    assert.deepEqual(refusal(await activateWith('1002', token)), [403, 'store_forbidden'])
    assert.equal((await activateWith('1001', token)).status, 200)
  })

  test('all access: the code token is 401, the app’s own token lists nothing', async () => {
    const app = await newApp()
    const { access_token } = await grant(world.server, app)
    const own = await world.server.token(app)
    assert.deepEqual([await listed(access_token), await listed(own)], [[1001], [1001]])
    await world.server.apps.revoke(app.client_id, null, byTest)
    assert.deepEqual(refusal(await ask(stores, access_token)), [401, 'token_revoked'])
    assert.deepEqual(await listed(own), [])
    for (const { path, query } of lists.slice(1)) {
      assert.deepEqual(refusal(await ask(ofStore(path, query, '1001'), own)), [403, 'store_forbidden'])
    }
  })

  test('access that is given again holds at the next request too, with the same token', async () => {
    const app = await newApp()
    const token = await world.server.token(app)
    const query = withQuery(orders, lists[1].query)
    for (let i = 0; i < 3; i++) {
      assert.equal((await ask(query, token)).status, 403)
      await world.server.apps.authorize(app.client_id, [1001n], byTest)
      assert.equal((await ask(query, token)).status, 200)
      await world.server.apps.revoke(app.client_id, [1001n], byTest)
    }
  })

  test('another app keeps what it has', async () => {
    const [one, other] = [await newApp(), await newApp()]
    for (const app of [one, other]) await world.server.apps.authorize(app.client_id, [1001n], byTest)
    const token = await world.server.token(other)
    await world.server.apps.revoke(one.client_id, null, byTest)
    assert.deepEqual(await listed(token), [1001])
  })
})

describe('design: POST /auth/v2/revoke (RFC 7009)', () => {
  const revoke = ({ client_id, client_secret }: Client, token: string) =>
    world.server.post('/auth/v2/revoke', { client_id, client_secret, token })

  test('an access token of the app itself ends alone', async () => {
    const app = await newApp()
    await world.server.apps.authorize(app.client_id, [1001n], byTest)
    const [one, other] = [await world.server.token(app), await world.server.token(app)]
    assert.equal((await revoke(app, one)).status, 200)
    assert.deepEqual(refusal(await ask(stores, one)), [401, 'token_revoked'])
    assert.deepEqual(await listed(other), [1001])
  })

  test('an access token of a code ends alone; the refresh token goes on', async () => {
    const app = await newApp()
    const { access_token, refresh_token } = await grant(world.server, app)
    assert.equal((await revoke(app, access_token)).status, 200)
    assert.deepEqual(refusal(await ask(stores, access_token)), [401, 'token_revoked'])
    const next = await refresh(world.server, app, refresh_token)
    assert.deepEqual(await listed(next.json.access_token), [1001])
  })

  test('a refresh token ends the authorization and every token behind it', async () => {
    const app = await newApp()
    const { access_token, refresh_token } = await grant(world.server, app)
    assert.equal((await revoke(app, refresh_token)).status, 200)
    assert.deepEqual(refusal(await ask(stores, access_token)), [401, 'token_revoked'])
    assert.equal((await refresh(world.server, app, refresh_token)).json.error, 'invalid_grant')
    assert.deepEqual(await listed(await world.server.token(app)), [])
  })

  test('another app’s token is not ended', async () => {
    const [app, thief] = [await newApp(), await newApp()]
    const { access_token, refresh_token } = await grant(world.server, app)
    await revoke(thief, access_token)
    await revoke(thief, refresh_token)
    assert.deepEqual(await listed(access_token), [1001])
    assert.equal((await refresh(world.server, app, refresh_token)).status, 200)
  })

  test('an unknown token is 200 as well (RFC 7009 §2.2)', async () => {
    for (const token of ['unknown', 'a.b.c']) assert.equal((await revoke(await newApp(), token)).status, 200)
  })
})
