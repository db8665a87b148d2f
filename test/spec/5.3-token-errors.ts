import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, type Fields, form, redirectUri } from '../helpers/authorize.ts'
import { answerOf, startServer, type TestServer } from '../helpers/server.ts'
import { clientCredentials } from '../helpers/token.ts'

let server: TestServer
let app: Client

before(async () => {
  server = await startServer()
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
  app = { client_id, client_secret }
})

after(() => server.close())

/** Failed authentications are counted by the minute (design: rate limits). */
const nextMinute = () => server.clock.advance(60)

const token = (fields: Fields) => server.post('/auth/v2/token', form(fields))

const machine = () => clientCredentials(app)
const coded = () => ({ grant_type: 'authorization_code', redirect_uri: redirectUri, ...app })
const refreshing = () => ({ grant_type: 'refresh_token', ...app })

describe('design: token errors are RFC 6749 §5.2 JSON with Cache-Control: no-store', () => {
  const refused: { name: string; fields: () => Promise<Fields> | Fields; status?: number; error: string }[] =
    [
      { name: 'no fields at all', fields: () => ({}), status: 401, error: 'invalid_client' },
      { name: 'no grant_type', fields: () => ({ ...app }), error: 'invalid_request' },
      {
        name: 'a grant_type that does not exist',
        fields: () => ({ ...app, grant_type: 'magic' }),
        error: 'unsupported_grant_type',
      },
      {
        name: 'the password grant',
        fields: () => ({ ...app, grant_type: 'password', username: 'a', password: 'b' }),
        error: 'unsupported_grant_type',
      },
      {
        name: 'the implicit grant',
        fields: () => ({ ...app, grant_type: 'implicit' }),
        error: 'unsupported_grant_type',
      },
      {
        name: 'no client_id',
        fields: () => ({ ...machine(), client_id: undefined }),
        status: 401,
        error: 'invalid_client',
      },
      {
        name: 'an unknown client_id',
        fields: () => ({ ...machine(), client_id: 'nobody' }),
        status: 401,
        error: 'invalid_client',
      },
      {
        name: 'a wrong client_secret',
        fields: () => ({ ...machine(), client_secret: 'wrong' }),
        status: 401,
        error: 'invalid_client',
      },
      {
        name: 'no client_secret',
        fields: () => ({ ...machine(), client_secret: undefined }),
        status: 401,
        error: 'invalid_client',
      },
      {
        name: 'an empty client_secret',
        fields: () => ({ ...machine(), client_secret: '' }),
        status: 401,
        error: 'invalid_client',
      },
      {
        name: 'no code',
        fields: () => coded(),
        error: 'invalid_request',
      },
      {
        name: 'an unknown code',
        fields: () => ({ ...coded(), code: 'x' }),
        error: 'invalid_grant',
      },
      {
        name: 'no refresh_token',
        fields: () => refreshing(),
        error: 'invalid_request',
      },
      {
        name: 'an unknown refresh_token',
        fields: () => ({ ...refreshing(), refresh_token: 'x' }),
        error: 'invalid_grant',
      },
      {
        name: 'an access token as refresh_token',
        fields: async () => ({ ...refreshing(), refresh_token: await server.token(app) }),
        error: 'invalid_grant',
      },
      {
        name: 'a scope that is none',
        fields: () => ({ ...machine(), scope: 'all' }),
        error: 'invalid_scope',
      },
    ]
  for (const { name, fields, status = 400, error } of refused) {
    test(`${name} is ${error}`, async () => {
      nextMinute()
      const answer = await token(await fields())
      assert.deepEqual([answer.status, answer.json.error], [status, error], answer.text)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.headers.get('pragma'), 'no-cache')
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.ok(!answer.text.includes(app.client_secret))
    })
  }

  test('a wrong secret by HTTP Basic is 401 with a challenge', async () => {
    const basic = Buffer.from(`${app.client_id}:wrong`).toString('base64')
    const answer = await server.post(
      '/auth/v2/token',
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${basic}` },
    )
    assert.deepEqual([answer.status, answer.json.error], [401, 'invalid_client'])
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /)
  })

  test('a repeated field is invalid_request', async () => {
    const body = `${form(machine())}&scope=integration.store&scope=integration.order`
    const answer = await server.post('/auth/v2/token', new URLSearchParams(body))
    assert.deepEqual([answer.status, answer.json.error], [400, 'invalid_request'])
  })

  test('fields in the query are not looked at', async () => {
    const answer = await server.post(`/auth/v2/token?${form(machine())}`, {})
    assert.deepEqual([answer.status, answer.json.error], [401, 'invalid_client'])
  })

  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
    test(`parameters are form fields: ${type} is refused`, async () => {
      const response = await fetch(`${server.base}/auth/v2/token`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: JSON.stringify(machine()),
      })
      const answer = await answerOf(response)
      assert.equal(answer.status, 415)
      assert.equal(answer.json.error, 'invalid_request')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    })
  }

  for (const method of ['GET', 'PUT', 'DELETE']) {
    test(`it is POST: ${method} is 405 with Allow`, async () => {
      const answer = await answerOf(await fetch(`${server.base}/auth/v2/token`, { method }))
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
      assert.equal(answer.json.error, 'invalid_request')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    })
  }
})
