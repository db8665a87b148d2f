import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, type Client, decide, redeem } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

const registered = 'https://app.example.com/cb'
const loopback = 'http://127.0.0.1:4567/cb'

let server: TestServer
let app: Client

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore())
  app = await server.newApp({ redirect_uris: [registered, loopback] })
})

after(() => server.close())

describe('spec 5.2: the base of redirect_uri must match the registered one', () => {
  const matching = [
    registered,
    loopback,
    `${registered}?`,
    `${registered}?tenant=7&x=%20y`,
    `${registered}?next=https://evil.example`,
  ]
  for (const redirect_uri of matching) {
    test(`matches: ${redirect_uri}`, async () => {
      const location = await decide(server, app, { changes: { redirect_uri } })
      assert.equal(location.origin + location.pathname, redirect_uri.split('?')[0])
      // RFC 6749 §3.1.2: the query is retained, and ours is added behind it.
      const added = new Set(['code', 'iss'])
      assert.deepEqual(
        [...location.searchParams].filter(([name]) => !added.has(name)),
        [...new URL(redirect_uri).searchParams],
      )
      const code = location.searchParams.get('code')
      assert.equal((await redeem(server, app, code, { redirect_uri })).status, 200)
    })
  }

  const others = [
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/cb/',
    'https://app.example.com/cb2',
    'https://app.example.com/c',
    'https://app.example.com/CB',
    'https://app.example.com/x/../cb',
    'https://app.example.com/./cb',
    'https://app.example.com/%2e/cb',
    'https://app.example.com/cb/..',
    'https://app.example.com/cb/%2e%2e/other',
    'https://app.example.com/%63b',
    'https://app.example.com//cb',
    'https://app.example.com/cb;x',
    'https://app.example.com/cb#',
    'https://app.example.com/cb#x',
    'https://app.example.com/cb?x#y',
    'https://app.example.com/cb\\',
    'https://app.example.com\\@evil.example/cb',
    'https://app.example.com/cb\n',
    'https://app.example.com/cb%00',
    'https://app.example.com/cb?\u0000',
    ' https://app.example.com/cb',
    'https://app.example.com:443/cb',
    'https://app.example.com:8443/cb',
    'https://user@app.example.com/cb',
    'https://app.example.com@evil.example/cb',
    'https://app.example.com.evil.example/cb',
    'https://evil.example/https://app.example.com/cb',
    'https://App.example.com/cb',
    'HTTPS://app.example.com/cb',
    'http://app.example.com/cb',
    '//app.example.com/cb',
    '/cb',
    'javascript:alert(1)//https://app.example.com/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:4568/cb',
    'http://localhost:4567/cb',
    'https://127.0.0.1:4567/cb',
  ]
  for (const redirect_uri of others) {
    test(`design: does not match, and is never redirected to: ${JSON.stringify(redirect_uri)}`, async () => {
      const answer = await new Browser(server.base).open(authorizePath(app, { redirect_uri }))
      assert.equal(answer.status, 400)
      assert.equal(answer.headers.get('location'), null)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    })
  }
})

describe('spec 5.3: redirect_uri at the token endpoint, same rule', () => {
  const wrong = [undefined, '', `${registered}?x=1`, `${registered}/`, loopback, 'https://evil.example/cb']
  for (const redirect_uri of wrong) {
    test(`design: must be identical to the one authorized; ${JSON.stringify(redirect_uri)} is refused`, async () => {
      const { searchParams } = await decide(server, app)
      const { status, json } = await redeem(server, app, searchParams.get('code'), { redirect_uri })
      assert.equal(status, 400)
      assert.ok(['invalid_grant', 'invalid_request'].includes(json.error), json.error)
      assert.equal(json.access_token, undefined)
    })
  }

  test('spec 5.2, 5.3: an app with one registered URI must name it all the same', async () => {
    const single = await server.newApp({ redirect_uris: [registered] })
    const { searchParams } = await decide(server, single)
    const { client_id, client_secret } = single
    const fields = { grant_type: 'authorization_code', code: searchParams.get('code') ?? '' }
    const { status, json } = await server.post('/auth/v2/token', { ...fields, client_id, client_secret })
    assert.equal(status, 400, 'RFC 6749 §4.1.3: required, since the authorization request had one')
    assert.equal(json.access_token, undefined)
  })

  test('with a query that was authorized, the one without it is refused', async () => {
    const redirect_uri = `${registered}?tenant=7`
    const { searchParams } = await decide(server, app, { changes: { redirect_uri } })
    const refused = await redeem(server, app, searchParams.get('code'), { redirect_uri: registered })
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant'])
  })
})
