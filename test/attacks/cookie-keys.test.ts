import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeys } from '../../src/domain/keys.ts'
import { byTest } from '../helpers/by.ts'
import { Browser } from '../helpers/browser.ts'
import { startServer } from '../helpers/server.ts'

/** The keys that sign the cookies of forms can be renewed while the server runs, and a leaked one be ended. */

const day = 86_400

test('a rotation of keys is seen by a running server; sessions and open forms survive it', async t => {
  const server = await startServer()
  t.after(() => server.close())
  const { storage, clock } = server
  const keys = createKeys({ storage, clock })
  await server.newAccount('owner@example.com')
  const signedIn = new Browser(server.base)
  await signedIn.signIn('owner@example.com')
  const waiting = new Browser(server.base)
  const form = await waiting.open('/login')

  await keys.rotate(byTest)
  clock.advance(120)
  const cookie = await formCookie(server.base)
  assert.equal((await signedIn.open('/account/apps')).status, 200)
  assert.notEqual((await waiting.submit(form, { email: 'x@example.com', password: 'x' })).status, 403)

  // The key that signed the waiting form is gone after 3 days, the one that follows it is not.
  clock.advance(3 * day)
  await server.get('/login')
  clock.advance(60)
  assert.equal((await waiting.submit(form, { email: 'x@example.com', password: 'x' })).status, 403)
  assert.equal(await isTaken(server.base, cookie), true)

  await keys.rotate(byTest, { abandon: true })
  clock.advance(60)
  await server.get('/login')
  assert.equal(await isTaken(server.base, cookie), false, 'what an abandoned key signed is worth nothing')
})

interface FormCookie {
  cookie: string
  csrf: string
}

async function formCookie(base: string): Promise<FormCookie> {
  const browser = new Browser(base)
  const { text } = await browser.open('/login')
  const [, csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(text) ?? []
  return { cookie: browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; '), csrf }
}

async function isTaken(base: string, { cookie, csrf }: FormCookie): Promise<boolean> {
  const body = new URLSearchParams({ _csrf: csrf, email: 'nobody@example.com', password: 'x' })
  const { status } = await fetch(`${base}/login`, {
    method: 'POST',
    headers: { cookie },
    body,
    redirect: 'manual',
  })
  return status !== 403
}
