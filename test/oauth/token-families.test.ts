import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import { type Client, codeOf, grant, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { sha256 } from '../../src/lib/hash.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** A second use of a code or refresh token ends the tokens that descend from it, and nothing else. */

let server: TestServer

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore({ merchant: 'owner@example.com' }))
})

after(() => server.close())

const newClient = async (): Promise<Client> => {
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
  return { client_id, client_secret }
}

const stores = '/integration/v1/stores'

const status = async (token: string): Promise<number> => (await server.get(stores, token)).status

const isActive = async (client: Client, token: string): Promise<boolean> =>
  (await server.post('/auth/v2/introspect', { ...client, token })).json.active

async function next(client: Client, refresh_token: string) {
  const answer = await refresh(server, client, refresh_token)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** A second use after the time in which it counts as a retry. */
async function useAgain(client: Client, refresh_token: string): Promise<void> {
  server.clock.advance(11)
  const answer = await refresh(server, client, refresh_token)
  assert.deepEqual([answer.status, answer.json.error], [400, 'invalid_grant'])
}

async function assertEnded(client: Client, tokens: { access_token: string; refresh_token: string }) {
  const answer = await server.get(stores, tokens.access_token)
  assert.deepEqual([answer.status, answer.json.status.errors.code], [401, 'token_revoked'])
  assert.equal(await isActive(client, tokens.access_token), false)
  assert.equal(await isActive(client, tokens.refresh_token), false)
  assert.equal((await refresh(server, client, tokens.refresh_token)).json.error, 'invalid_grant')
}

async function assertLives(client: Client, tokens: { access_token: string; refresh_token: string }) {
  assert.equal(await status(tokens.access_token), 200)
  assert.equal(await isActive(client, tokens.access_token), true)
  assert.equal(await isActive(client, tokens.refresh_token), true)
  assert.equal((await refresh(server, client, tokens.refresh_token)).status, 200)
}

describe('a refresh token used again after 10 s', () => {
  test('ends every token that descends from it, and not the access token that came with it', async () => {
    const client = await newClient()
    const first = await grant(server, client)
    const second = await next(client, first.refresh_token)
    const third = await next(client, second.refresh_token)
    await useAgain(client, first.refresh_token)
    await assertEnded(client, third)
    assert.equal(await status(second.access_token), 401)
    assert.equal(await status(first.access_token), 200)
  })

  test('ends no token before it in its family', async () => {
    const client = await newClient()
    const first = await grant(server, client)
    const second = await next(client, first.refresh_token)
    const third = await next(client, second.refresh_token)
    await useAgain(client, second.refresh_token)
    await assertEnded(client, third)
    assert.deepEqual([await status(first.access_token), await status(second.access_token)], [200, 200])
    await useAgain(client, first.refresh_token)
    assert.deepEqual([await status(first.access_token), await status(second.access_token)], [200, 401])
  })

  test('leaves the authorization: the app’s own token, another connection and a new one', async () => {
    const client = await newClient()
    const own = await server.token(client)
    const other = await grant(server, client)
    const first = await grant(server, client)
    await next(client, first.refresh_token)
    await useAgain(client, first.refresh_token)
    const { json } = await server.get(stores, own)
    assert.equal(json.data.length, 1)
    await assertLives(client, other)
    await assertLives(client, await grant(server, client))
  })

  test('ends the tokens of a refresh that runs at the same time', async () => {
    const client = await newClient()
    const first = await grant(server, client)
    const second = await next(client, first.refresh_token)
    server.clock.advance(11)
    const [reuse, raced] = await Promise.all([
      refresh(server, client, first.refresh_token),
      refresh(server, client, second.refresh_token),
    ])
    assert.equal(reuse.status, 400)
    if (raced.status === 200) await assertEnded(client, raced.json)
    await assertEnded(client, second)
  })

  test('stays ended for as long as a token of the family could live', async () => {
    const client = await newClient()
    const first = await grant(server, client)
    const second = await next(client, first.refresh_token)
    await useAgain(client, first.refresh_token)
    server.clock.advance(345_600 - 12)
    await server.storage.purge(server.clock.now())
    assert.equal((await refresh(server, client, second.refresh_token)).json.error, 'invalid_grant')
    assert.equal((await refresh(server, client, second.refresh_token)).json.error, 'invalid_grant')
  })

  test('is recorded once in the audit log', async () => {
    const client = await newClient()
    const first = await grant(server, client)
    await next(client, first.refresh_token)
    await useAgain(client, first.refresh_token)
    await useAgain(client, first.refresh_token)
    const { lines } = await server.storage.audit.list({ app_id: client.client_id, limit: 9, scan_limit: 99 })
    assert.deepEqual(
      lines.map(({ action }) => action).filter(action => action !== 'access_allowed'),
      ['tokens_ended', 'app_created'],
    )
  })
})

test('a refresh token used again within 10 s ends nothing', async () => {
  const client = await newClient()
  const first = await grant(server, client)
  const second = await next(client, first.refresh_token)
  server.clock.advance(10)
  assert.equal((await refresh(server, client, first.refresh_token)).json.error, 'invalid_grant')
  await assertLives(client, second)
})

test('RFC 6749 §4.1.2: a code used again ends all tokens that it gave, and not the authorization', async () => {
  const client = await newClient()
  const own = await server.token(client)
  const other = await grant(server, client)
  const code = await codeOf(server, client)
  const first = (await redeem(server, client, code)).json
  const second = await next(client, first.refresh_token)
  assert.equal((await redeem(server, client, code)).json.error, 'invalid_grant')
  assert.equal(await status(first.access_token), 401)
  await assertEnded(client, second)
  await assertLives(client, other)
  assert.equal((await server.get(stores, own)).json.data.length, 1)
})

describe('tokens from before families', () => {
  /** As an earlier version stored it. */
  async function withoutFamily(refresh_token: string): Promise<void> {
    const { artifacts } = server.storage
    const found = await artifacts.find('RefreshToken', sha256(refresh_token))
    assert.ok(found)
    const { family: _family, ...payload } = JSON.parse(found.payload)
    await artifacts.put('RefreshToken', sha256(refresh_token), JSON.stringify(payload), found.expires_at)
  }

  /** An access token as an earlier version issued it. */
  async function signedWithoutFamily(access_token: string): Promise<string> {
    const [key] = await server.storage.keys.list('sign')
    assert.ok(key)
    const { family: _family, generation: _generation, ...claims } = decodeJwt(access_token)
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: key.id, typ: 'at+jwt' })
      .sign(await importJWK(JSON.parse(key.secret), 'ES256'))
  }

  test('an access token goes on until a refresh token of its time is used twice', async () => {
    const client = await newClient()
    const [first, later] = [await grant(server, client), await grant(server, client)]
    await withoutFamily(first.refresh_token)
    const old = await signedWithoutFamily(first.access_token)
    const second = await next(client, later.refresh_token)
    await useAgain(client, later.refresh_token)
    assert.deepEqual([await status(second.access_token), await status(old)], [401, 200])
    await next(client, first.refresh_token)
    assert.equal(await status(old), 200)
    await useAgain(client, first.refresh_token)
    assert.equal(await status(old), 401)
    assert.equal(await isActive(client, old), false)
  })

  test('a refresh token goes on, and so do its descendants', async () => {
    const client = await newClient()
    const first = await grant(server, client)
    await withoutFamily(first.refresh_token)
    const second = await next(client, first.refresh_token)
    await assertLives(client, second)
  })

  test('a second use ends all of them and their descendants, and not a later connection', async () => {
    const client = await newClient()
    const first = await grant(server, client)
    await withoutFamily(first.refresh_token)
    const second = await next(client, first.refresh_token)
    const third = await next(client, second.refresh_token)
    const later = await grant(server, client)
    await useAgain(client, first.refresh_token)
    await assertEnded(client, third)
    await assertLives(client, later)
  })
})

describe('RFC 7009: revoking a refresh token ends the authorization', () => {
  const revoke = (client: Client, token: string, hint: Record<string, string> = {}) =>
    server.post('/auth/v2/revoke', { ...client, token, ...hint })

  for (const seconds of [0, 5, 10, 11, 3600]) {
    test(`also when it was rotated ${seconds} s ago`, async () => {
      const client = await newClient()
      const own = await server.token(client)
      const other = await grant(server, client)
      const first = await grant(server, client)
      const second = await next(client, first.refresh_token)
      server.clock.advance(seconds)
      assert.equal((await revoke(client, first.refresh_token)).status, 200)
      await assertEnded(client, second)
      await assertEnded(client, other)
      assert.deepEqual((await server.get(stores, own)).json.data, [])
    })
  }

  test('also when its family has ended', async () => {
    const client = await newClient()
    const other = await grant(server, client)
    const first = await grant(server, client)
    await next(client, first.refresh_token)
    await useAgain(client, first.refresh_token)
    assert.equal(
      (await revoke(client, first.refresh_token, { token_type_hint: 'refresh_token' })).status,
      200,
    )
    await assertEnded(client, other)
  })

  test('not when another app sends it', async () => {
    const [client, other] = [await newClient(), await newClient()]
    const first = await grant(server, client)
    const second = await next(client, first.refresh_token)
    for (const token of [first.refresh_token, second.refresh_token, second.access_token]) {
      assert.equal((await revoke(other, token)).status, 200)
    }
    await assertLives(client, second)
  })

  test('a revocation that fails halfway can be repeated', async t => {
    const client = await newClient()
    const tokens = await grant(server, client)
    const failing = t.mock.method(server.storage.authorizations, 'revoke', async () => {
      throw new Error('broken')
    })
    assert.equal((await revoke(client, tokens.refresh_token)).status, 500)
    failing.mock.restore()
    assert.equal((await revoke(client, tokens.refresh_token)).status, 200)
    await assertEnded(client, tokens)
  })

  test('the answer is an empty JSON object, also for an unknown token', async () => {
    const client = await newClient()
    const { refresh_token, access_token } = await grant(server, client)
    for (const token of ['unknown', access_token, refresh_token]) {
      const answer = await revoke(client, token)
      assert.deepEqual([answer.status, answer.text], [200, '{}'])
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  })
})
