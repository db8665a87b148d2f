import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { Browser } from '../helpers/browser.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { byTest } from '../helpers/by.ts'

/** The whole journey, driven by an OAuth client that somebody else wrote. */

const redirectUri = 'http://127.0.0.1:9/callback'
const insecure = { [oauth.allowInsecureRequests]: true }

let server: TestServer
let as: oauth.AuthorizationServer

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.newAccount('other@example.com')
  await server.push(
    {
      kind: 'store',
      id: 1001,
      name: 'Harbour Street',
      timezone: 'Australia/Sydney',
      merchant: 'owner@example.com',
    },
    { kind: 'store', id: 1002, name: 'Mill Lane', timezone: 'Europe/London', merchant: 'owner@example.com' },
    { kind: 'store', id: 2001, name: 'Elsewhere', timezone: 'Asia/Tokyo', merchant: 'other@example.com' },
  )
  const issuer = new URL(server.base)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  as = await oauth.processDiscoveryResponse(issuer, response)
})

after(() => server.close())

interface Journey {
  client: oauth.Client
  authentication: oauth.ClientAuth
  verifier: string
  callback: URLSearchParams
  tokens: oauth.TokenEndpointResponse
}

async function authorize(
  { client_id }: { client_id: string },
  options: { browser?: Browser; stores?: string[]; email?: string; query?: string; verifier?: string } = {},
) {
  const {
    browser = new Browser(server.base),
    stores = ['1001'],
    email = 'owner@example.com',
    query = '',
  } = options
  const verifier = options.verifier ?? oauth.generateRandomCodeVerifier()
  const url = new URL(as.authorization_endpoint as string)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri + query,
    scope: 'integration.store',
    state: 'the-state',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const consent = await browser.reachConsent(url.href, email)
  assert.equal(consent.status, 200, consent.text)
  const decision = { decision: 'allow', store: stores }
  const answer = await browser.submit(consent, decision)
  const location = answer.headers.get('location')
  assert.ok(location, answer.text)
  return { verifier, location: new URL(location), consent }
}

async function run(
  made: { client_id: string; client_secret: string },
  options: Parameters<typeof authorize>[1] = {},
): Promise<Journey> {
  const client: oauth.Client = { client_id: made.client_id }
  const authentication = made.client_secret ? oauth.ClientSecretPost(made.client_secret) : oauth.None()
  const { verifier, location } = await authorize(made, options)
  const callback = oauth.validateAuthResponse(as, client, location, 'the-state')
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    callback,
    redirectUri + (options.query ?? ''),
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response)
  return { client, authentication, verifier, callback, tokens }
}

const refresh = async ({ client, authentication }: Journey, token: string) =>
  oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, authentication, token, insecure),
  )

const names = async (token: string) =>
  (await server.get('/integration/v1/stores', token)).json.data.map((store: { id: number }) => store.id)

test('spec 5.2, 5.3: a code from the consent page becomes tokens that list the picked stores', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const { tokens } = await run(app, { stores: ['1002'] })
  assert.equal(tokens.token_type, 'bearer')
  assert.equal(tokens.expires_in, 172_800)
  assert.equal(tokens.scope, 'integration.store')
  assert.ok(tokens.refresh_token)
  assert.deepEqual(await names(tokens.access_token), [1002])
})

test('spec 5.2: a query may be added to the registered redirect URI, and comes back beside the code', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const { callback } = await run(app, { query: '?tenant=7' })
  assert.equal(callback.get('tenant'), '7')
})

test('spec 5.3: a public app gets its tokens with PKCE and no secret', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri], public: true })
  const { tokens } = await run(app)
  assert.deepEqual(await names(tokens.access_token), [1001])
})

test('HTTP Basic works as well as form fields', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const journey = await run(app)
  journey.authentication = oauth.ClientSecretBasic(app.client_secret)
  const next = await refresh(journey, journey.tokens.refresh_token as string)
  assert.ok(next.access_token)
})

test('spec 5.3 rule 2: a refresh gives a new pair; the old access token lives on, the old refresh token does not', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const journey = await run(app)
  const next = await refresh(journey, journey.tokens.refresh_token as string)
  assert.notEqual(next.refresh_token, journey.tokens.refresh_token)
  assert.deepEqual(await names(next.access_token), [1001])
  assert.deepEqual(await names(journey.tokens.access_token), [1001])
  await assert.rejects(refresh(journey, journey.tokens.refresh_token as string), { error: 'invalid_grant' })
})

test('a refresh token used again within 10 s is refused and leaves the new pair alive', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const journey = await run(app)
  const next = await refresh(journey, journey.tokens.refresh_token as string)
  server.clock.advance(10)
  await assert.rejects(refresh(journey, journey.tokens.refresh_token as string), { error: 'invalid_grant' })
  assert.deepEqual(await names(next.access_token), [1001])
  await refresh(journey, next.refresh_token as string)
})

test('RFC 9700 §4.14.2: a refresh token used again after 10 s ends the tokens that descend from it', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const journey = await run(app)
  const next = await refresh(journey, journey.tokens.refresh_token as string)
  server.clock.advance(11)
  await assert.rejects(refresh(journey, journey.tokens.refresh_token as string), { error: 'invalid_grant' })
  const { status, json } = await server.get('/integration/v1/stores', next.access_token)
  assert.deepEqual([status, json.status.errors.code], [401, 'token_revoked'])
  await assert.rejects(refresh(journey, next.refresh_token as string), { error: 'invalid_grant' })
  assert.deepEqual(await names(journey.tokens.access_token), [1001])
  assert.deepEqual(await names(await server.token(app)), [1001])
})

test('spec 8: a refresh token works one second before 4 days and not at 4 days', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const journey = await run(app)
  server.clock.advance(345_600 - 1)
  const next = await refresh(journey, journey.tokens.refresh_token as string)
  server.clock.advance(345_600)
  await assert.rejects(refresh(journey, next.refresh_token as string), { error: 'invalid_grant' })
})

test('spec 3.3: an access token works until its last second and is 401 at 172800 s', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const { tokens } = await run(app)
  server.clock.advance(172_799)
  assert.equal((await server.get('/integration/v1/stores', tokens.access_token)).status, 200)
  server.clock.advance(1)
  const { status, json } = await server.get('/integration/v1/stores', tokens.access_token)
  assert.deepEqual([status, json.status.errors.code], [401, 'token_expired'])
})

test('64 parallel refreshes with one token give exactly one success', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const journey = await run(app)
  const tries = await Promise.allSettled(
    Array.from({ length: 64 }, () => refresh(journey, journey.tokens.refresh_token as string)),
  )
  assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('parallel redemptions of one code give exactly one success, and its tokens end with the second use', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const { verifier, location } = await authorize(app)
  const form = {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    client_secret: app.client_secret,
    code: location.searchParams.get('code') as string,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
  const answers = await Promise.all(Array.from({ length: 32 }, () => server.post('/auth/v2/token', form)))
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter(status => status === 200).length, 1, statuses.join())
  assert.equal(statuses.filter(status => status === 400).length, 31, statuses.join())
  const token = answers.find(({ status }) => status === 200)?.json.access_token
  const { status, json } = await server.get('/integration/v1/stores', token)
  assert.deepEqual([status, json.status.errors.code], [401, 'token_revoked'])
})

test('RFC 6749 §4.1.2: a code used again later is refused and its tokens are revoked', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const { callback, verifier, tokens } = await run(app)
  const again = await server.post('/auth/v2/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    client_secret: app.client_secret,
    code: callback.get('code') as string,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant'])
  assert.equal((await server.get('/integration/v1/stores', tokens.access_token)).status, 401)
  assert.deepEqual(await names(await server.token(app)), [1001])
})

test('consent is always shown, also when the app was allowed before, and says so', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const browser = new Browser(server.base)
  const first = await authorize(app, { browser })
  assert.doesNotMatch(first.consent.text, /You allowed this app before/)
  const second = await authorize(app, { browser, stores: ['1001', '1002'] })
  assert.match(second.consent.text, /You allowed this app before/)
  assert.match(second.consent.text, /value="1001" checked/)
  assert.doesNotMatch(second.consent.text, /value="1002" checked/)
})

test('the page shows a checkbox for each of the merchant’s own stores, and nobody else’s', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const { consent } = await authorize(app)
  assert.match(consent.text, /Harbour Street/)
  assert.match(consent.text, /Mill Lane/)
  assert.doesNotMatch(consent.text, /Elsewhere/)
})

test('design: Deny returns access_denied with state and iss, and grants nothing', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const url = `${as.authorization_endpoint}?${new URLSearchParams({ response_type: 'code', client_id: app.client_id, redirect_uri: redirectUri, scope: 'integration.store', state: 's p+c' })}`
  const browser = new Browser(server.base)
  const consent = await browser.reachConsent(url, 'owner@example.com')
  const answer = await browser.submit(consent, { decision: 'deny', store: '1001' })
  const { searchParams, origin, pathname } = new URL(answer.headers.get('location') as string)
  assert.equal(origin + pathname, redirectUri)
  assert.equal(searchParams.get('error'), 'access_denied')
  assert.equal(searchParams.get('state'), 's p+c')
  assert.equal(searchParams.get('iss'), server.base)
  assert.equal(searchParams.get('code'), null)
  assert.deepEqual(await names(await server.token(app)), [])
})

test('a store that is not the merchant’s cannot be slipped into the form', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const url = `${as.authorization_endpoint}?${new URLSearchParams({ response_type: 'code', client_id: app.client_id, redirect_uri: redirectUri, scope: 'integration.store' })}`
  const browser = new Browser(server.base)
  const consent = await browser.reachConsent(url, 'owner@example.com')
  const answer = await browser.submit(consent, { decision: 'allow', store: ['1001', '2001'] })
  assert.equal(answer.status, 422)
  assert.match(answer.text, /not yours/)
  assert.deepEqual(await names(await server.token(app)), [])
})

test('design: after consent the app’s own token reads the picked stores, and loses them with the revocation', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const { tokens } = await run(app, { stores: ['1001', '1002'] })
  const own = await server.token(app)
  assert.deepEqual(await names(own), [1001, 1002])
  await server.apps.revoke(app.client_id, [1002n], byTest)
  assert.deepEqual(await names(own), [1001])
  assert.deepEqual(await names(tokens.access_token), [1001])
  await server.apps.revoke(app.client_id, null, byTest)
  assert.deepEqual(await names(own), [])
  assert.equal((await server.get('/integration/v1/stores', tokens.access_token)).status, 401)
})

test('RFC 7009: revoking an access token ends that token alone; revoking the refresh token ends the authorization', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const journey = await run(app)
  const next = await refresh(journey, journey.tokens.refresh_token as string)
  const revoke = async (token: string) =>
    oauth.processRevocationResponse(
      await oauth.revocationRequest(as, journey.client, journey.authentication, token, insecure),
    )
  await revoke(journey.tokens.access_token)
  assert.equal(
    (await server.get('/integration/v1/stores', journey.tokens.access_token)).json.status.errors.code,
    'token_revoked',
  )
  assert.deepEqual(await names(next.access_token), [1001])
  await revoke(next.refresh_token as string)
  assert.equal((await server.get('/integration/v1/stores', next.access_token)).status, 401)
})

test('RFC 7662: introspection shows a client only its own valid tokens', async () => {
  const app = await server.newApp({ redirect_uris: [redirectUri] })
  const stranger = await server.newApp()
  const journey = await run(app)
  const introspect = async (
    token: string,
    client = journey.client,
    authentication = journey.authentication,
  ) =>
    oauth.processIntrospectionResponse(
      as,
      client,
      await oauth.introspectionRequest(as, client, authentication, token, insecure),
    )
  const { access_token, refresh_token } = journey.tokens
  const seen = await introspect(access_token)
  assert.equal(seen.active, true)
  assert.equal(seen.client_id, app.client_id)
  assert.equal(seen.scope, 'integration.store')
  assert.equal((await introspect(refresh_token as string)).active, true)
  const other = oauth.ClientSecretPost(stranger.client_secret)
  assert.equal((await introspect(access_token, { client_id: stranger.client_id }, other)).active, false)
  await server.apps.revoke(app.client_id, null, byTest)
  assert.equal((await introspect(access_token)).active, false)
})
