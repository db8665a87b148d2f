import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { redirectUri } from '../helpers/authorize.ts'
import { assertCleanLog, keepSecret, secretIn } from '../helpers/log-check.ts'
import { startServer } from '../helpers/server.ts'

/** The check that every test server's log goes through when it closes: it can fail. */

const line = (fields: object) => `${JSON.stringify({ level: 30, time: 1, ...fields })}\n`

describe('a test server whose log holds', () => {
  for (const [what, leak] of [
    ['a client secret', async server => (await server.newApp()).client_secret],
    ['an access token', async server => server.token(await server.newApp())],
    ['the beginning of one', async server => (await server.token(await server.newApp())).slice(0, 40)],
    [
      'a password that was typed',
      async server => {
        await server.post('/login?password=the-password-they-typed', {})
        return 'the-password-they-typed'
      },
    ],
    [
      'a code',
      async server => {
        await server.post('/auth/v2/token', { code: 'code-of-a-merchant-1234', redirect_uri: redirectUri })
        return 'code-of-a-merchant-1234'
      },
    ],
  ] as [string, (server: Awaited<ReturnType<typeof startServer>>) => Promise<string>][]) {
    test(`${what} does not close without a complaint`, async () => {
      const server = await startServer()
      const secret = await leak(server)
      server.app.log.info({ note: `seen: ${secret}` })
      await assert.rejects(server.close(), /the log holds a secret/)
    })
  }
})

describe('a line', () => {
  test('is one JSON object with a level and a time', () => {
    assertCleanLog([line({ msg: 'x' })])
    for (const bad of ['text\n', '[1]\n', `${line({})}${line({})}`, '{"level":30,\n"time":1}\n', '{}\n']) {
      assert.throws(() => assertCleanLog([bad]), { code: 'ERR_ASSERTION' }, bad)
    }
  })

  test('is the only one about its request', () => {
    const request = line({ msg: 'request', request_id: 'a' })
    assertCleanLog([request, line({ msg: 'request failed', request_id: 'a' })])
    assert.throws(() => assertCleanLog([request, request]), /two lines about one request/)
  })

  test('that a kill cut off may be the last one', () => {
    assertCleanLog([line({}), '{"level":30,"ti'], { killed: true })
    assert.throws(() => assertCleanLog([line({}), '{"level":30,"ti']))
  })
})

test('what counts as a secret: any JWT, any Authorization, and what was kept, also percent-encoded', () => {
  keepSecret('password', 'pass word/with+signs')
  for (const text of [
    'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln',
    'Authorization: Basic QUJDREVGR0hJSktMTU5P',
    'a pass word/with+signs b',
    'pass%20word%2Fwith%2Bsigns',
  ]) {
    assert.notEqual(secretIn(text), null, text)
  }
  assert.equal(secretIn('{"route":"/auth/v2/token","app_id":"AAAAAAAAAAAAAAAAAAAAAA"}'), null)
})
