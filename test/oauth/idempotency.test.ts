import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sha256 } from '../../src/lib/hash.ts'
import {
  challenge,
  type Client,
  codeOf,
  type Fields,
  form,
  redirectUri,
  verifier,
} from '../helpers/authorize.ts'
import { sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'
import { byTest } from '../helpers/by.ts'

/** Idempotency-Key at the token endpoint: a client that lost the answer to an exchange gets it again. */

let server: TestServer
let client: Client

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore({ merchant: 'owner@example.com' }))
  client = await newClient()
})

after(() => server.close())

async function newClient(options: { public?: boolean; scope?: string } = {}): Promise<Client> {
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri], ...options })
  return { client_id, client_secret }
}

let keys = 0
const newKey = (): string => `key-${keys++}`

const exchange = (key: string | null, fields: Fields, base: { post: TestServer['post'] } = server) =>
  base.post('/auth/v2/token', form(fields), key === null ? {} : { 'idempotency-key': key })

const codeFields = (code: string, of: Client = client): Fields => ({
  grant_type: 'authorization_code',
  ...of,
  code,
  redirect_uri: redirectUri,
})

const refreshFields = (refresh_token: string, of: Client = client): Fields => ({
  grant_type: 'refresh_token',
  ...of,
  refresh_token,
})

/** The fields of an exchange that was made once with this key, and its answer. */
async function exchanged(
  grant: 'code' | 'refresh token',
  key: string,
  of: Client = client,
): Promise<{ fields: Fields; first: Answer }> {
  const code = codeFields(await codeOf(server, of), of)
  const tokens = grant === 'code' ? null : (await exchange(null, code)).json
  const fields = tokens ? refreshFields(tokens.refresh_token, of) : code
  const first = await exchange(key, fields)
  assert.equal(first.status, 200, first.text)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  return { fields, first }
}

function assertReplayed(answer: Answer, first: Answer): void {
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.text, first.text)
  assert.equal(answer.headers.get('idempotent-replayed'), 'true')
  for (const name of ['content-type', 'cache-control', 'pragma'])
    assert.equal(answer.headers.get(name), first.headers.get(name))
}

const status = async (token: string): Promise<number> =>
  (await server.get('/integration/v1/stores', token)).status

for (const grant of ['code', 'refresh token'] as const) {
  describe(`the exchange of a ${grant}`, () => {
    test('repeated with its key gets the same answer, as often as it is asked', async () => {
      const key = newKey()
      const { fields, first } = await exchanged(grant, key)
      assertReplayed(await exchange(key, fields), first)
      server.clock.advance(599)
      assertReplayed(await exchange(key, fields), first)
      assert.equal(await status(first.json.access_token), 200)
      assert.equal((await exchange(null, refreshFields(first.json.refresh_token))).status, 200)
    })

    test('is 10 minutes later a second use', async () => {
      const key = newKey()
      const { fields, first } = await exchanged(grant, key)
      server.clock.advance(600)
      assertError('oauth', await exchange(key, fields), 400, 'invalid_grant')
      if (grant === 'refresh token') assert.equal(await status(first.json.access_token), 401)
    })

    test('without the key, or with another, is a second use', async () => {
      for (const other of [null, newKey()]) {
        const { fields, first } = await exchanged(grant, newKey())
        server.clock.advance(11)
        assertError('oauth', await exchange(other, fields), 400, 'invalid_grant')
        assert.equal(await status(first.json.access_token), 401)
      }
    })

    test('gets no answer again once the new refresh token was used', async () => {
      const key = newKey()
      const { fields, first } = await exchanged(grant, key)
      const second = await exchange(null, refreshFields(first.json.refresh_token))
      assert.equal(second.status, 200)
      assertError('oauth', await exchange(key, fields), 400, 'invalid_grant')
    })

    test('gets no answer again once the authorization has ended', async () => {
      const own = await newClient()
      const key = newKey()
      const { fields } = await exchanged(grant, key, own)
      await server.apps.revoke(own.client_id, null, byTest)
      assertError('oauth', await exchange(key, fields), 400, 'invalid_grant')
    })

    test('authenticates the client again', async () => {
      const key = newKey()
      const { fields, first } = await exchanged(grant, key)
      for (const client_secret of ['wrong', undefined]) {
        assertError('oauth', await exchange(key, { ...fields, client_secret }), 401, 'invalid_client')
      }
      const { client_id, client_secret, ...others } = fields
      const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
      const headers = { 'idempotency-key': key, authorization }
      assertReplayed(await server.post('/auth/v2/token', form(others), headers), first)
    })

    test('another client’s key is independent of it', async () => {
      const [other, key] = [await newClient(), newKey()]
      const mine = await exchanged(grant, key)
      const theirs = await exchanged(grant, key, other)
      assertReplayed(await exchange(key, mine.fields), mine.first)
      assertReplayed(await exchange(key, theirs.fields), theirs.first)
      const stolen = { ...mine.fields, ...other }
      assertError('oauth', await exchange(newKey(), stolen), 400, 'invalid_grant')
      assertError('oauth', await exchange(key, stolen), 400, 'invalid_request')
    })

    test('with a key that was used with other parameters is 400 and changes nothing', async () => {
      const key = newKey()
      const { fields, first } = await exchanged(grant, key)
      const code = codeFields(await codeOf(server, client))
      const { refresh_token } = (await exchange(null, codeFields(await codeOf(server, client)))).json
      const changed = [
        code,
        refreshFields(refresh_token),
        { ...fields, redirect_uri: `${redirectUri}?x=1`, scope: 'integration.store' },
      ]
      for (const other of changed) assertError('oauth', await exchange(key, other), 400, 'invalid_request')
      assertReplayed(await exchange(key, fields), first)
      assert.equal((await exchange(newKey(), code)).status, 200)
      assert.equal((await exchange(newKey(), refreshFields(refresh_token))).status, 200)
    })

    test('12 times in parallel is one exchange, and all get its answer', async () => {
      const code = codeFields(await codeOf(server, client))
      const fields = grant === 'code' ? code : refreshFields((await exchange(null, code)).json.refresh_token)
      const key = newKey()
      const answers = await Promise.all(Array.from({ length: 12 }, () => exchange(key, fields)))
      const [first, ...others] = answers.filter(each => !each.headers.has('idempotent-replayed'))
      assert.ok(first)
      assert.equal(others.length, 0)
      for (const answer of answers) assert.deepEqual([answer.status, answer.text], [200, first.text])
      assert.equal((await exchange(null, refreshFields(first.json.refresh_token))).status, 200)
    })

    test('a key for two at the same time gives tokens for one; the other is 400 and not consumed', async () => {
      const both = await Promise.all(
        [1, 2].map(async () => {
          const code = codeFields(await codeOf(server, client))
          return grant === 'code' ? code : refreshFields((await exchange(null, code)).json.refresh_token)
        }),
      )
      const key = newKey()
      const answers = await Promise.all(both.map(fields => exchange(key, fields)))
      const refused = answers.findIndex(answer => answer.status === 400)
      assert.deepEqual(answers.map(answer => answer.status).sort(), [200, 400])
      assert.equal(answers[refused]?.json.error, 'invalid_request')
      assert.equal((await exchange(newKey(), both[refused] ?? {})).status, 200)
    })

    test('the database holds the answer only in sealed form', async () => {
      const key = newKey()
      const { fields, first } = await exchanged(grant, key)
      const hash = sha256(JSON.stringify([client.client_id, key]))
      const record = await server.storage.artifacts.find('Exchange', hash)
      assert.ok(record)
      const values = [...Object.values(fields), ...Object.values(first.json).map(String), key]
      for (const value of values.filter(each => each && each.length > 20)) {
        assert.ok(!record.payload.includes(value as string), value)
        assert.ok(!Buffer.from(record.payload, 'base64url').includes(value as string))
      }
      await server.storage.purge(server.clock.now() + 600)
      assert.equal(await server.storage.artifacts.find('Exchange', hash), null)
    })
  })
}

test('a code’s exchange is repeated also after the code itself has expired and was deleted', async () => {
  const key = newKey()
  const fields = codeFields(await codeOf(server, client))
  server.clock.advance(500)
  const first = await exchange(key, fields)
  server.clock.advance(300)
  await server.storage.purge(server.clock.now())
  assertReplayed(await exchange(key, fields), first)
})

test('a used code with another key is rejected, and within 10 s ends nothing', async () => {
  const { fields, first } = await exchanged('code', newKey())
  server.clock.advance(10)
  assertError('oauth', await exchange(newKey(), fields), 400, 'invalid_grant')
  assert.equal(await status(first.json.access_token), 200)
})

test('a repeated exchange is no second use of the refresh token', async () => {
  const key = newKey()
  const { fields, first } = await exchanged('refresh token', key)
  for (const seconds of [0, 11, 60]) {
    server.clock.advance(seconds)
    assertReplayed(await exchange(key, fields), first)
  }
  assert.equal(await status(first.json.access_token), 200)
})

test('a wrong verifier counts as another parameter; only a successful exchange takes the key', async () => {
  const changes = { code_challenge: challenge, code_challenge_method: 'S256' }
  const key = newKey()
  const fields = { ...codeFields(await codeOf(server, client, { changes })), code_verifier: verifier }
  const wrong = { ...fields, code_verifier: 'x'.repeat(43) }
  assertError('oauth', await exchange(key, wrong), 400, 'invalid_grant')
  const first = await exchange(key, fields)
  assert.equal(first.status, 200, first.text)
  assertError('oauth', await exchange(key, wrong), 400, 'invalid_request')
  assertReplayed(await exchange(key, fields), first)
})

test('a public client’s answer is repeated for 60 s', async () => {
  const own = await newClient({ public: true, scope: 'integration.store' })
  const changes = { code_challenge: challenge, code_challenge_method: 'S256' }
  const { client_id } = own
  const fields = {
    ...codeFields(await codeOf(server, own, { changes })),
    client_id,
    client_secret: undefined,
    code_verifier: verifier,
  }
  const key = newKey()
  const first = await exchange(key, fields)
  server.clock.advance(59)
  assertReplayed(await exchange(key, fields), first)
  server.clock.advance(1)
  assertError('oauth', await exchange(key, fields), 400, 'invalid_grant')
})

test('an expired key can be used for another exchange', async () => {
  const key = newKey()
  await exchanged('code', key)
  server.clock.advance(600)
  const { fields, first } = await exchanged('code', key)
  assertReplayed(await exchange(key, fields), first)
})

describe('the key', () => {
  for (const [name, key] of Object.entries({
    'of 256 characters': 'x'.repeat(256),
    'that is empty': '',
    'with a space': 'a b',
    'with a character beyond ASCII': 'clé',
    'with a tab': 'a\tb',
  })) {
    test(`${name} is 400 and consumes nothing`, async () => {
      const fields = codeFields(await codeOf(server, client))
      assertError('oauth', await exchange(key, fields), 400, 'invalid_request')
      assert.equal((await exchange(null, fields)).status, 200)
    })
  }

  for (const key of ['x'.repeat(255), '!', '~', '"quoted"', '\\']) {
    test(`${key.slice(0, 9)} (${key.length}) is accepted`, async () => {
      const { fields, first } = await exchanged('code', key)
      assertReplayed(await exchange(key, fields), first)
    })
  }

  test('means nothing with client_credentials', async () => {
    const key = newKey()
    const fields = { grant_type: 'client_credentials', ...client }
    const [first, second] = [await exchange(key, fields), await exchange(key, fields)]
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.notEqual(first.json.access_token, second.json.access_token)
    assert.equal((await exchange('a b', fields)).status, 200)
  })
})
