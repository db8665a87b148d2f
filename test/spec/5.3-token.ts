import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Client,
  decide,
  type Fields,
  form,
  grant,
  redeem,
  redirectUri,
  refresh,
} from '../helpers/authorize.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { clientCredentials } from '../helpers/token.ts'

let server: TestServer
let app: Client

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore())
  app = await newApp()
})

after(() => server.close())

async function newApp(options: Parameters<TestServer['newApp']>[0] = {}): Promise<Client> {
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri], ...options })
  return { client_id, client_secret }
}

/** Failed authentications are counted by the minute (design: rate limits). */
const nextMinute = () => server.clock.advance(60)

const token = (fields: Fields) => server.post('/auth/v2/token', form(fields))

const machine = () => clientCredentials(app)

describe('spec 5.3: a successful response', () => {
  test('authorization_code: access_token, refresh_token, scope, token_type, expires_in', async () => {
    const tokens = await grant(server, app)
    assert.match(tokens.access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    assert.equal(typeof tokens.refresh_token, 'string')
    assert.deepEqual(
      [tokens.scope, tokens.token_type, tokens.expires_in],
      ['integration.store', 'Bearer', 172_800],
    )
  })

  test('client_credentials: the same without a refresh token', async () => {
    const { status, json } = await token({ ...machine(), scope: 'integration.store integration.order' })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type'])
    assert.deepEqual(
      [json.scope, json.token_type, json.expires_in],
      ['integration.store integration.order', 'Bearer', 172_800],
    )
  })

  test('refresh_token: a new access token and a new refresh token', async () => {
    const first = await grant(server, app)
    const { status, json } = await refresh(server, app, first.refresh_token)
    assert.equal(status, 200)
    assert.notEqual(json.access_token, first.access_token)
    assert.notEqual(json.refresh_token, first.refresh_token)
    assert.deepEqual([json.scope, json.token_type, json.expires_in], ['integration.store', 'Bearer', 172_800])
  })

  test('RFC 6749 §5.1: it is JSON that nobody keeps', async () => {
    const { headers } = await token(machine())
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('pragma'), 'no-cache')
  })

  test('two requests give two tokens', async () => {
    assert.notEqual((await token(machine())).json.access_token, (await token(machine())).json.access_token)
  })

  test('HTTP Basic works as well as the form fields', async () => {
    const basic = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')
    const { status } = await server.post(
      '/auth/v2/token',
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${basic}` },
    )
    assert.equal(status, 200)
  })

  test('unknown form fields are ignored', async () => {
    assert.equal((await token({ ...machine(), audience: 'x', foo: 'bar' })).status, 200)
  })
})

describe('spec 5.3: grant types', () => {
  test('authorization_code: another app’s code is refused', async () => {
    const { searchParams } = await decide(server, app)
    const { status, json } = await redeem(server, await newApp(), searchParams.get('code'))
    assert.deepEqual([status, json.error], [400, 'invalid_grant'])
  })

  test('authorization_code: without the secret of the app the code is worth nothing', async () => {
    nextMinute()
    const { searchParams } = await decide(server, app)
    for (const client_secret of [undefined, 'wrong']) {
      const { status, json } = await redeem(server, app, searchParams.get('code'), { client_secret })
      assert.deepEqual([status, json.error], [401, 'invalid_client'])
    }
  })

  test('design: a code works once', async () => {
    const { searchParams } = await decide(server, app)
    assert.equal((await redeem(server, app, searchParams.get('code'))).status, 200)
    const again = await redeem(server, app, searchParams.get('code'))
    assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant'])
  })

  for (const [seconds, status] of [
    [599, 200],
    [600, 400],
  ] as const) {
    test(`design: a code lives 10 minutes: after ${seconds} s ${status}`, async () => {
      const { searchParams } = await decide(server, app)
      server.clock.advance(seconds)
      assert.equal((await redeem(server, app, searchParams.get('code'))).status, status)
    })
  }

  test('client_credentials: an app without a secret cannot use it', async () => {
    const { client_id } = await newApp({ public: true })
    const { status, json } = await token({ grant_type: 'client_credentials', client_id })
    assert.equal(status, 400)
    // RFC 6749 §5.2 has a name of its own for it; the provider says invalid_request.
    assert.ok(['unauthorized_client', 'invalid_request'].includes(json.error), json.error)
  })

  test('client_credentials: the app acts on its own behalf; no redirect_uri or code is needed', async () => {
    const { client_id, client_secret } = await newApp({ redirect_uris: [] })
    assert.equal((await token(clientCredentials({ client_id, client_secret }))).status, 200)
  })
})
