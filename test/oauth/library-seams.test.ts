import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, mock, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import {
  authorizePath,
  type Client,
  decide,
  grant,
  redeem,
  redirectUri,
  refresh,
} from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { clientMetadata } from '../../src/oauth/client.ts'
import { byTest } from '../helpers/by.ts'

/** What src/oauth assumes about oidc-provider: a test for each heading of its README. */

let server: TestServer
let client: Client

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push({
    kind: 'store',
    id: 1001,
    name: 'Harbour Street',
    timezone: 'Australia/Sydney',
    merchant: 'owner@example.com',
  })
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
  client = { client_id, client_secret }
})

afterEach(() => mock.restoreAll())

after(() => server.close())

/** With a parameter that is not known: else the token would not come from the provider (client-credentials.ts). */
const ask = (fields: Record<string, string>) =>
  server.post('/auth/v2/token', { grant_type: 'client_credentials', pad: 'x', ...fields })

const codeOf = async (): Promise<string | null> => (await decide(server, client)).searchParams.get('code')

const seams: Record<string, () => Promise<void>> = {
  'Provider.ctx is the current request in the adapter and in the client model': async () => {
    const { apps } = server.storage
    const lookups = [mock.method(apps, 'find'), mock.method(apps, 'secrets')]
    assert.equal((await ask({ ...client })).status, 200)
    // The route's own lookup serves both.
    assert.deepEqual(
      lookups.map(each => each.mock.callCount()),
      [0, 0],
    )
    const { refresh_token } = await grant(server, client)
    const answer = await server.post('/auth/v2/revoke', { ...client, token: refresh_token })
    assert.equal(answer.status, 200)
    const { lines } = await server.storage.audit.list({ action: 'access_revoked', limit: 1, scan_limit: 9 })
    assert.equal(lines[0]?.request_id, answer.headers.get('x-request-id'))
  },

  'The provider takes a Node request with a body that was read before': async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...client, pad: 'x'.repeat(50_000) })
    const ports: (number | undefined)[] = []
    for (const framing of [{ 'content-length': `${body}`.length }, { 'transfer-encoding': 'chunked' }]) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', ...framing }
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(`${server.base}/auth/v2/token`, { method: 'POST', headers, agent }, resolve)
          .on('error', reject)
          .end(`${body}`)
      })
      ports.push(response.socket.localPort)
      assert.equal(response.statusCode, 200, await text(response))
    }
    assert.equal(ports[0], ports[1], 'the connection stays open')
    agent.destroy()
  },

  'Client.prototype.compareClientSecret decides on client secrets': async () => {
    const rotated = await server.apps.rotateSecret(client.client_id, byTest)
    assert.equal((await ask({ ...client, client_secret: rotated })).status, 200, 'two secrets work')
    assert.equal((await ask({ ...client })).status, 200)
    const app = await server.storage.apps.find(client.client_id)
    assert.ok(app)
    const { client_secret = '' } = clientMetadata(app)
    assert.equal((await ask({ ...client, client_secret })).status, 401, 'the library’s own comparison')
  },

  'Client.prototype.redirectUriAllowed decides on redirect URIs': async () => {
    const status = async (redirect_uri: string) =>
      (await server.get(authorizePath(client, { redirect_uri }))).status
    assert.equal(await status(`${redirectUri}?shop=7`), 303)
    assert.equal(await status(`${redirectUri}/more`), 400)
  },

  'A code or refresh token is looked up after client authentication, with the parameters of its grant type':
    async () => {
      const code = await codeOf()
      const find = mock.method(server.storage.artifacts, 'find')
      const wrong = { ...client, client_secret: 'wrong' }
      assert.deepEqual([(await redeem(server, wrong, code)).status, find.mock.callCount()], [401, 0])
      const fields = {
        grant_type: 'authorization_code',
        ...client,
        code: code ?? '',
        redirect_uri: redirectUri,
      }
      const headers = { 'idempotency-key': 'k' }
      const first = await server.post(
        '/auth/v2/token',
        { ...fields, refresh_token: 'not of this grant' },
        headers,
      )
      const second = await server.post('/auth/v2/token', fields, headers)
      assert.deepEqual([first.status, second.status, second.text], [200, 200, first.text])
    },

  'A code or refresh token is consumed, and the next refresh token stored, before the response is complete':
    async () => {
      const { artifacts } = server.storage
      const code = await codeOf()
      const [consume, put] = [mock.method(artifacts, 'consume'), mock.method(artifacts, 'put')]
      const first = await redeem(server, client, code)
      const second = await refresh(server, client, first.json.refresh_token)
      assert.deepEqual([first.status, second.status], [200, 200])
      assert.deepEqual(
        consume.mock.calls.map(({ arguments: [kind, , , [next]] }) => [kind, next]),
        [
          ['AuthorizationCode', 'RefreshToken'],
          ['RefreshToken', 'RefreshToken'],
        ],
      )
      assert.equal(put.mock.callCount(), 0)
    },

  'A second use calls revokeByGrantId of the refresh tokens': async () => {
    const endFamily = mock.method(server.storage.revokedTokens, 'endFamily')
    const code = await codeOf()
    const { refresh_token } = (await redeem(server, client, code)).json
    await redeem(server, client, code)
    const first = await grant(server, client)
    await refresh(server, client, first.refresh_token)
    server.clock.advance(11)
    await refresh(server, client, first.refresh_token)
    assert.deepEqual(
      endFamily.mock.calls.map(({ arguments: [{ generation }] }) => generation),
      [0, 1],
    )
    assert.equal((await refresh(server, client, refresh_token)).status, 400)
    assert.equal((await server.get('/integration/v1/stores', first.access_token)).status, 200)
  },

  'rotateRefreshToken runs before the refresh token is consumed': async () => {
    const { refresh_token } = await grant(server, client)
    const refused = await refresh(server, client, refresh_token, { resource: 'https://elsewhere.example' })
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_target'])
    assert.equal((await refresh(server, client, refresh_token)).status, 200)
  },

  'getResourceServerInfo runs before the scope is read': async () => {
    assert.equal(
      (await ask({ ...client })).json.scope,
      'integration.store integration.order integration.inventory',
      'a missing scope is filled in',
    )
    assert.equal((await ask({ ...client, scope: 'platform.write' })).json.error, 'invalid_scope')
    const exchange = await redeem(server, client, await codeOf(), { scope: 'integration.order' })
    assert.equal(exchange.json.error, 'invalid_scope')
    const location = (await server.get(authorizePath(client, { scope: 'integration.order' }))).headers
    assert.match(location.get('location') ?? '', /error=invalid_scope/)
  },

  'A ClientCredentials token needs no request, and of its client only the id': async () => {
    const plain = await server.post('/auth/v2/token', { grant_type: 'client_credentials', ...client })
    const [own, theirs] = [plain, await ask({ ...client })].map(({ json }) => json.access_token as string)
    assert.deepEqual(decodeProtectedHeader(own ?? ''), decodeProtectedHeader(theirs ?? ''))
    assert.deepEqual({ ...decodeJwt(own ?? ''), jti: null }, { ...decodeJwt(theirs ?? ''), jti: null })
  },

  'Introspection and revocation look up the token’s value in the adapter': async () => {
    const { access_token } = await grant(server, client)
    for (const token of [access_token, await server.token(client)]) {
      const introspect = () => server.post('/auth/v2/introspect', { ...client, token })
      const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      const { active, jti: found } = (await introspect()).json
      assert.deepEqual({ active, jti: found }, { active: true, jti })
      assert.equal((await server.post('/auth/v2/revoke', { ...client, token })).status, 200)
      assert.deepEqual((await introspect()).json, { active: false })
      assert.equal(await server.storage.revokedTokens.has(jti), true)
    }
  },

  'A listener of server_error can replace the response': async () => {
    const fail = async () => {
      throw new StorageUnavailable('busy')
    }
    mock.method(server.storage.artifacts, 'find', fail)
    const json = await refresh(server, client, 'x')
    assert.deepEqual([json.status, json.json.error], [503, 'temporarily_unavailable'])
    mock.method(server.storage.apps, 'find', fail)
    const page = await server.get(authorizePath(client))
    for (const { status, headers } of [json, page])
      assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  },

  'A listener of grant.error can replace the response, with the cause in error_detail': async () => {
    const { json } = await refresh(server, client, 'x')
    assert.deepEqual(json, { error: 'invalid_grant', error_description: 'refresh token not found' })
  },

  'invalid_request for a request without a client, and for a grant type that the client may not use':
    async () => {
      const unnamed = await ask({})
      assert.deepEqual([unnamed.status, unnamed.json.error], [401, 'invalid_client'])
      const nameless = { authorization: `Basic ${Buffer.from(':secret').toString('base64')}` }
      const basic = await server.post('/auth/v2/token', { grant_type: 'client_credentials' }, nameless)
      assert.deepEqual([basic.status, basic.json.error], [401, 'invalid_client'])
      const twice = new URLSearchParams([
        ['client_id', 'a'],
        ['client_id', 'b'],
      ])
      assert.equal((await server.post('/auth/v2/token', twice)).json.error, 'invalid_request')
      const { client_id } = await server.newApp({
        redirect_uris: [redirectUri],
        public: true,
        scope: 'integration.store',
      })
      const forbidden = await ask({ client_id })
      assert.deepEqual([forbidden.status, forbidden.json.error], [400, 'unauthorized_client'])
      const foreign = await server.post(
        '/auth/v2/token',
        { grant_type: 'client_credentials', client_id },
        { origin: 'https://elsewhere.example' },
      )
      assert.equal(foreign.json.error, 'invalid_request', 'the origin comes first')
      const missing = await server.post('/auth/v2/token', { client_id })
      assert.equal(missing.json.error, 'invalid_request', 'no grant type at all')
    },

  'Expiry times are compared with the system clock': async () => {
    const [fresh, late] = [await codeOf(), await codeOf()]
    server.clock.advance(599)
    assert.equal((await redeem(server, client, fresh)).status, 200)
    server.clock.advance(1)
    assert.equal((await redeem(server, client, late)).json.error, 'invalid_grant')
  },

  'An expired interaction can still be read': async () => {
    const browser = new Browser(server.base)
    const consent = await browser.reachConsent(authorizePath(client), 'owner@example.com')
    server.clock.advance(3600)
    const [, path = ''] = /action="(\/consent\/[^"]+)"/.exec(consent.text) ?? []
    const page = await browser.open(path)
    assert.equal(page.status, 400)
    assert.match(page.text, /access_denied/)
  },

  'The result of an interaction comes from the adapter, and destroy decides who resumes it': async () => {
    const browser = new Browser(server.base)
    const consent = await browser.reachConsent(authorizePath(client), 'owner@example.com')
    const [, action = ''] = /action="(\/consent\/[^"]+)"/.exec(consent.text) ?? []
    const [, csrf = ''] = /name="_csrf" value="([^"]*)"/.exec(consent.text) ?? []
    const body = new URLSearchParams({ _csrf: csrf, decision: 'allow', store: '1001' })
    const resume = (await browser.open(action, { method: 'POST', body })).headers.get('location') ?? ''
    const removed = mock.method(server.storage.artifacts, 'remove', async () => false)
    assert.equal((await browser.open(resume)).status, 400)
    assert.equal(removed.mock.callCount(), 1)
    mock.restoreAll()
    const { headers } = await browser.open(resume)
    assert.match(headers.get('location') ?? '', /[?&]code=/)
  },
}

for (const [name, check] of Object.entries(seams)) test(name, check)

test('src/oauth/README.md has a section for each test, and no other', () => {
  const readme = readFileSync(new URL('../../src/oauth/README.md', import.meta.url), 'utf8')
  const headings = [...readme.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading?.replaceAll("'", '’'))
  assert.deepEqual(headings, Object.keys(seams))
})
