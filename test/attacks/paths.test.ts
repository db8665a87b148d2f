import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Browser } from '../helpers/browser.ts'
import { send } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/**
 * A proxy that keeps the outside from /operator and /metrics compares paths. Whatever it could read differently is not
 * that path here either (Keycloak CVE-2026-0976: `;` in a path).
 */

let server: TestServer
let cookie: string

before(async () => {
  server = await startServer()
  await server.newAccount('ops@example.com', 'operator')
  const browser = new Browser(server.base)
  await browser.signIn('ops@example.com')
  cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
})

after(() => server.close())

const encoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`

const disguises: ((path: string) => string)[] = [
  path => `${path};x`,
  path => path.replace('/', '/;x/'),
  path => path.replace('/', '/x;/../'),
  path => `/${path}`,
  path => `/.${path}`,
  path => `/health/..${path}`,
  path => `/health/%2e%2e${path}`,
  path => `/health/..%2f${path.slice(1)}`,
  path => `/health\\..${path}`,
  path => path.replace('/', '/%2f'),
  path => `/%2f${path.slice(1)}`,
  path => path.toUpperCase(),
  path => `${path}/`,
  path => `${path}%20`,
  path => `${path}%00`,
  path => `${path}.json`,
  path => `/${path.slice(1)}#`,
  path => `/${encoded(path.charAt(1))}${path.slice(2)}`,
  path => `${path.slice(0, -1)}${encoded(path.at(-1) as string).toUpperCase()}`,
]

for (const path of ['/operator', '/operator/accounts', '/metrics', '/health/ready']) {
  test(`${path} has one spelling`, async () => {
    const headers = { cookie }
    assert.equal((await send(server.base, { path, headers })).status, 200)
    for (const disguise of disguises) {
      const { status, text } = await send(server.base, { path: disguise(path), headers })
      assert.ok([400, 404].includes(status), `${disguise(path)}: ${status} ${text.slice(0, 100)}`)
    }
  })

  test(`a header cannot lead to ${path} either`, async () => {
    for (const name of [
      'x-original-url',
      'x-rewrite-url',
      'x-forwarded-path',
      'x-forwarded-prefix',
      'x-forwarded-uri',
    ]) {
      const { status } = await send(server.base, { path: '/nothing', headers: { cookie, [name]: path } })
      assert.equal(status, 404, name)
    }
  })
}

test('endpoints of the OAuth provider, which has a router of its own, have one spelling too', async () => {
  for (const path of [
    '/auth/v2/t%6fken',
    '/auth/v2/revok%65',
    '/auth/v2/introspec%74',
    '/%61uth/v2/authorize',
    '/auth/%762/authorize',
    '/auth/v2/%61uthorize/abc',
    '/auth/v2/jw%6bs',
    '/.well-known/oauth%2dauthorization-server',
  ]) {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await send(server.base, { method, path })
      assert.equal(status, 400, `${method} ${path}`)
      assert.ok(headers['x-request-id'], path)
    }
  }
  const query = await send(server.base, { path: '/health/live?x=%6c' })
  assert.equal(query.status, 200, 'what is encoded in a query is data')
})
