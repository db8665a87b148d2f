import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { authorizePath, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { startWorld, stores, type World, refusal } from '../helpers/world.ts'
import { clientCredentials } from '../helpers/token.ts'

/** What the design promises of the service as a whole: addresses, rate limits, no events. */

const issuer = 'https://pos.example.com'

let world: World
let limited: World

before(async () => {
  world = await startWorld([1001], { issuer })
  limited = await startWorld([1001], { config: { rate_limit: 5 } })
})

after(async () => {
  await world.close()
  await limited.close()
})

describe('design: addresses come from TILLGATE_BASE_URL, never from the request', () => {
  const forged = {
    host: 'evil.example.com',
    'x-forwarded-host': 'evil.example.com',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example.com;proto=http',
  }

  /** fetch does not send a Host of one's own. */
  const get = (path: string) =>
    new Promise<{ location: string; body: string }>((resolve, reject) => {
      const sent = request(world.server.base + path, { headers: forged }, async response =>
        resolve({ location: response.headers.location ?? '', body: await text(response) }),
      )
      sent.on('error', reject)
      sent.end()
    })

  test('in the metadata', async () => {
    const { body } = await get('/.well-known/oauth-authorization-server')
    assert.ok(!body.includes('evil.example.com'))
    const metadata = JSON.parse(body)
    assert.equal(metadata.issuer, issuer)
    assert.equal(metadata.authorization_endpoint, `${issuer}/auth/v2/authorize`)
    assert.equal(metadata.token_endpoint, `${issuer}/auth/v2/token`)
    assert.equal(metadata.revocation_endpoint, `${issuer}/auth/v2/revoke`)
    assert.equal(metadata.introspection_endpoint, `${issuer}/auth/v2/introspect`)
    assert.equal(metadata.jwks_uri, `${issuer}/auth/v2/jwks`)
  })

  test('in redirects to the app', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const { location } = await get(authorizePath(app, { scope: 'nonsense' }))
    assert.equal(new URL(location).searchParams.get('iss'), issuer)
  })

  test('in redirects to our own pages', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const { location } = await get(authorizePath(app))
    assert.equal(new URL(location, issuer).origin, issuer)
  })

  test('in the API reference', async () => {
    assert.ok(!(await get('/openapi.json')).body.includes('evil.example.com'))
  })

  test('design: platform.write is not in the metadata', async () => {
    const { body } = await get('/.well-known/oauth-authorization-server')
    assert.deepEqual(JSON.parse(body).scopes_supported.toSorted(), [
      'integration.inventory',
      'integration.order',
      'integration.store',
    ])
  })
})

describe('design: rate limits', () => {
  const attempt = (client_id: string, client_secret: string) =>
    world.server.post('/auth/v2/token', clientCredentials({ client_id, client_secret }))

  test('failed client authentications are throttled for that name, and after a minute no more', async () => {
    const victim = await world.server.newApp()
    const statuses = []
    for (let i = 0; i < 12; i++) statuses.push((await attempt(victim.client_id, `wrong ${i}`)).status)
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429])
    const throttled = await attempt(victim.client_id, 'wrong')
    assert.equal(throttled.status, 429)
    assert.equal(throttled.headers.get('cache-control'), 'no-store')
    assert.ok(Number(throttled.headers.get('retry-after')) > 0)
    assert.equal((await attempt(victim.client_id, victim.client_secret)).status, 200, 'never locked out')
    world.server.clock.advance(60)
    assert.equal((await attempt(victim.client_id, 'wrong')).status, 401)
  })

  test('failed sign-ins are throttled for that name, and after a minute no more', async () => {
    await limited.server.newAccount('owner@example.com')
    const signIn = async (secret?: string) =>
      (await new Browser(limited.server.base).signIn('owner@example.com', secret)).status
    const wrong = []
    for (let i = 0; i < 10; i++) wrong.push(await signIn('wrong'))
    assert.ok(!wrong.includes(429), wrong.join())
    assert.equal(await signIn(), 429)
    limited.server.clock.advance(60)
    assert.ok(![401, 429].includes(await signIn()))
  })

  test('of the API there is none unless configured', async () => {
    const token = await world.token()
    const answers = await Promise.all(Array.from({ length: 200 }, () => world.server.get(stores, token)))
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(answers[0]?.headers.get('ratelimit-limit'), null)
  })

  test('of the API, when configured: RateLimit headers, then 429 in the envelope, for each app', async () => {
    const token = await limited.token()
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await limited.server.get(stores, token)
      assert.equal(status, 200)
      assert.ok(
        [...headers.keys()].some(name => name.startsWith('ratelimit')),
        [...headers.keys()].join(),
      )
    }
    const refused = await limited.server.get(stores, token)
    assert.deepEqual(refusal(refused), [429, 'rate_limited'])
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    const other = await limited.server.newApp()
    assert.equal((await limited.server.get(stores, await limited.server.token(other))).status, 200)
  })
})
