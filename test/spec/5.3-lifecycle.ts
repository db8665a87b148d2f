import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, decide, grant, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { refusal, stores } from '../helpers/world.ts'
import { byTest } from '../helpers/by.ts'

/** Spec 3.3, 5.3 rules 1 to 3 and 8: how long tokens live and what ends them. */

let server: TestServer

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore(), sampleStore({ id: 1002, name: 'Mill Lane' }))
})

after(() => server.close())

async function newApp(): Promise<Client> {
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
  return { client_id, client_secret }
}

const twoDays = 172_800
const fourDays = 345_600

const statusWith = async (token: string) => (await server.get(stores, token)).status

async function refused(app: Client, refresh_token: string): Promise<void> {
  const { status, json, headers } = await refresh(server, app, refresh_token)
  assert.deepEqual([status, json.error], [400, 'invalid_grant'])
  assert.equal(headers.get('cache-control'), 'no-store')
}

describe('spec 5.3 rule 1, 3.3: an access token is valid for 2 days', () => {
  const kinds: [name: string, token: (app: Client) => Promise<string>][] = [
    ['authorization_code', async app => (await grant(server, app)).access_token],
    ['client_credentials', app => server.token(app)],
    [
      'refresh_token',
      async app => (await refresh(server, app, (await grant(server, app)).refresh_token)).json.access_token,
    ],
  ]
  for (const [name, issue] of kinds) {
    test(`of ${name}: 200 in its last second, 401 token_expired at 172800 s`, async () => {
      const token = await issue(await newApp())
      assert.equal(await statusWith(token), 200)
      server.clock.advance(twoDays - 1)
      assert.equal(await statusWith(token), 200)
      server.clock.advance(1)
      assert.deepEqual(refusal(await server.get(stores, token)), [401, 'token_expired'])
    })

    test(`of ${name}: one that was never used before it ended is 401 token_expired too`, async () => {
      const token = await issue(await newApp())
      server.clock.advance(twoDays)
      assert.deepEqual(refusal(await server.get(stores, token)), [401, 'token_expired'])
    })
  }
})

describe('spec 5.3 rule 2: a refresh token may be used within 4 days and only once', () => {
  test('spec 3.3: an expired access token is followed by a new one', async () => {
    const app = await newApp()
    const { access_token, refresh_token } = await grant(server, app)
    server.clock.advance(twoDays)
    assert.equal(await statusWith(access_token), 401)
    const { status, json } = await refresh(server, app, refresh_token)
    assert.equal(status, 200)
    assert.equal(await statusWith(json.access_token), 200)
  })

  test('design: it may be used before the access token expires, which lives on', async () => {
    const app = await newApp()
    const { access_token, refresh_token } = await grant(server, app)
    const { status, json } = await refresh(server, app, refresh_token)
    assert.equal(status, 200)
    assert.deepEqual([await statusWith(json.access_token), await statusWith(access_token)], [200, 200])
  })

  test('spec 8: it works in the last second of the 4 days', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    server.clock.advance(fourDays - 1)
    assert.equal((await refresh(server, app, refresh_token)).status, 200)
  })

  test('spec 8: it does not work at 4 days', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    server.clock.advance(fourDays)
    await refused(app, refresh_token)
  })

  test('each refresh returns a new one, with 4 days of its own: the chain lasts as long as it is used', async () => {
    const app = await newApp()
    let { refresh_token } = await grant(server, app)
    const seen = new Set([refresh_token])
    for (let i = 0; i < 10; i++) {
      server.clock.advance(fourDays - 1)
      const { status, json } = await refresh(server, app, refresh_token)
      assert.equal(status, 200)
      assert.equal(await statusWith(json.access_token), 200)
      refresh_token = json.refresh_token
      seen.add(refresh_token)
    }
    assert.equal(seen.size, 11)
  })

  test('the used one becomes unusable', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    await refresh(server, app, refresh_token)
    await refused(app, refresh_token)
  })

  test('design: used again within 10 s it is refused, and the new pair lives', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    const { json } = await refresh(server, app, refresh_token)
    server.clock.advance(10)
    await refused(app, refresh_token)
    assert.equal(await statusWith(json.access_token), 200)
    assert.equal((await refresh(server, app, json.refresh_token)).status, 200)
  })

  test('design: used again later it is refused, and the authorization ends', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    const { json } = await refresh(server, app, refresh_token)
    server.clock.advance(11)
    await refused(app, refresh_token)
    assert.deepEqual(refusal(await server.get(stores, json.access_token)), [401, 'token_revoked'])
    await refused(app, json.refresh_token)
  })

  test('design: 64 tries at once give one success', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    const answers = await Promise.all(Array.from({ length: 64 }, () => refresh(server, app, refresh_token)))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
      200,
      ...Array.from({ length: 63 }, () => 400),
    ])
  })

  test('another app’s refresh token is refused, and still works for its own', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    await refused(await newApp(), refresh_token)
    assert.equal((await refresh(server, app, refresh_token)).status, 200)
  })

  test('spec 5.3: scope at a refresh may name what was granted, and nothing more', async () => {
    const app = await newApp()
    const { refresh_token } = await grant(server, app)
    const more = await refresh(server, app, refresh_token, { scope: 'integration.store integration.order' })
    assert.deepEqual([more.status, more.json.error], [400, 'invalid_scope'])
    const same = await refresh(server, app, refresh_token, { scope: 'integration.store' })
    assert.deepEqual([same.status, same.json.scope], [200, 'integration.store'])
  })
})

describe('spec 5.3 rule 3, 3.3: when the user revokes access, the authorization must be run again', () => {
  test('design: the next request with the code token is 401, and its refresh token is dead', async () => {
    const app = await newApp()
    const { access_token, refresh_token } = await grant(server, app)
    assert.equal(await statusWith(access_token), 200)
    await server.apps.revoke(app.client_id, null, byTest)
    assert.deepEqual(refusal(await server.get(stores, access_token)), [401, 'token_revoked'])
    await refused(app, refresh_token)
  })

  test('the merchant revokes it on the page of connected apps', async () => {
    const app = await newApp()
    const { access_token, refresh_token } = await grant(server, app)
    const browser = new Browser(server.base)
    await browser.signIn('owner@example.com')
    await browser.submit(await browser.open(`/account/apps/${app.client_id}/revoke`), {})
    assert.deepEqual(refusal(await server.get(stores, access_token)), [401, 'token_revoked'])
    assert.deepEqual((await server.get(stores, await server.token(app))).json.data, [])
    await refused(app, refresh_token)
  })

  test('a code that was not redeemed yet is dead too', async () => {
    const app = await newApp()
    const { searchParams } = await decide(server, app)
    await server.apps.revoke(app.client_id, null, byTest)
    const { status, json } = await redeem(server, app, searchParams.get('code'))
    assert.deepEqual([status, json.error], [400, 'invalid_grant'])
  })

  test('a new authorization gives a new token; the old one stays dead', async () => {
    const app = await newApp()
    const before = await grant(server, app)
    await server.apps.revoke(app.client_id, null, byTest)
    const after = await grant(server, app)
    assert.deepEqual(
      [await statusWith(after.access_token), await statusWith(before.access_token)],
      [200, 401],
    )
    await refused(app, before.refresh_token)
  })
})
