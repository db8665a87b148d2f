import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionLifetime } from '../../src/domain/accounts/sessions.ts'
import { Browser } from '../helpers/browser.ts'
import { testClock } from '../helpers/clock.ts'
import { startServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

const day = 86_400
const path = '/developer/apps/new'

test('a form that shows a secret works once for as long as its session lives, across any boundary of time', async t => {
  // A minute before a multiple of 30 days, which is one of 60 seconds, an hour and a day too.
  const start = 30 * day * 700 - 60
  const server = await startServer({ clock: testClock(start) })
  t.after(() => server.close())
  await server.newAccount('dev@example.com', 'developer')
  const browser = new Browser(server.base)
  await browser.signIn('dev@example.com')
  const page = await browser.open(path)
  const send = () => browser.submit(page, { name: 'Ledger', scope: 'integration.store' })
  assert.equal((await send()).status, 201)
  for (const later of [59, 60, 61, 3660, sessionLifetime - 1]) {
    server.clock.set(start + later)
    await server.storage.purge(server.clock.now())
    assertError('page', await send(), 409)
  }
  assert.equal((await server.storage.apps.list()).filter(({ name }) => name === 'Ledger').length, 1)
  // The session is over: the person signs in first, and the old form has no valid token any more.
  server.clock.set(start + sessionLifetime)
  assert.match((await send()).text, /<h1>Sign in<\/h1>/)
  await browser.signIn('dev@example.com')
  assertError('page', await send(), 403)
})
