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

test('percent-encoded letters are the letters they stand for: the same page, behind the same guards', async () => {
  const stranger = await send(server.base, { path: '/%6fperator' })
  assert.equal(stranger.status, 303)
})
