import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sessionLifetime } from '../../src/domain/accounts/sessions.ts'
import { createSingleUseForms } from '../../src/domain/accounts/single-use-forms.ts'
import { Browser } from '../helpers/browser.ts'
import { testClock } from '../helpers/clock.ts'
import { csrfOf } from '../helpers/developer.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

const day = 86_400
const path = '/developer/apps/new'
// A minute before a multiple of 30 days, which is one of 60 seconds, an hour and a day too.
const start = 30 * day * 700 - 60

let server: TestServer
let browser: Browser

before(async () => {
  server = await startServer({ clock: testClock(start) })
  await server.newAccount('dev@example.com', 'developer')
  browser = new Browser(server.base)
  await browser.signIn('dev@example.com')
})

after(() => server.close())

test('a form is known by its field: the server does not read a token from a header', async () => {
  const token = csrfOf(await browser.open(path))
  const body = new URLSearchParams({ name: 'By header', scope: 'integration.store' })
  for (const header of ['csrf-token', 'xsrf-token', 'x-csrf-token', 'x-xsrf-token']) {
    const answer = await browser.open(path, { method: 'POST', headers: { [header]: token }, body })
    assertError('page', answer, 403)
  }
})

test('a failure of the clean-up does not hide the error that made it necessary', async () => {
  const clear = () => Promise.reject(new Error('of the clean-up'))
  const throttles = { ...server.storage.throttles, clear }
  const forms = createSingleUseForms({ storage: { throttles }, clock: server.clock })
  const run = () => Promise.reject(new Error('of the run'))
  await assert.rejects(forms.use('token', run), /^Error: of the run$/)
})

test('a form that shows a secret works once for as long as its session lives, across any boundary of time', async () => {
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
