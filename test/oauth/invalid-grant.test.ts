import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  challenge,
  type Client,
  codeOf,
  type Fields,
  grant,
  redeem,
  redirectUri,
  refresh,
  verifier,
} from '../helpers/authorize.ts'
import { sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'

/** invalid_grant says why in error_description and in the app's request log, and nothing about tokens of another app. */

let server: TestServer
let client: Client
let other: Client

const newClient = async (): Promise<Client> => {
  const { client_id, client_secret } = await server.newApp({
    redirect_uris: [redirectUri, `${redirectUri}2`],
  })
  return { client_id, client_secret }
}

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore({ merchant: 'owner@example.com' }))
  client = await newClient()
  other = await newClient()
})

after(() => server.close())

const code = (changes: Fields = {}) => codeOf(server, client, { changes })
const withPkce = () => code({ code_challenge: challenge, code_challenge_method: 'S256' })
const used = async () => {
  const { refresh_token } = await grant(server, client)
  const next = await refresh(server, client, refresh_token)
  return { refresh_token, next: next.json.refresh_token as string }
}

const causes: { name: string; cause: RegExp; ask: () => Promise<Answer> }[] = [
  {
    name: 'another redirect_uri',
    cause: /redirect_uri/,
    ask: async () => redeem(server, client, await code(), { redirect_uri: `${redirectUri}2` }),
  },
  {
    name: 'no code_verifier',
    cause: /code_verifier/,
    ask: async () => redeem(server, client, await withPkce()),
  },
  {
    name: 'a wrong code_verifier',
    cause: /code_verifier .*code_challenge/,
    ask: async () => redeem(server, client, await withPkce(), { code_verifier: `${verifier}x` }),
  },
  {
    name: 'a code_verifier for a code without a challenge',
    cause: /^code_verifier was sent, but the authorization request had no code_challenge$/,
    ask: async () => redeem(server, client, await code(), { code_verifier: verifier }),
  },
  {
    name: 'a code used twice',
    cause: /code.* (used|consumed)/,
    ask: async () => {
      const twice = await code()
      await redeem(server, client, twice)
      return redeem(server, client, twice)
    },
  },
  {
    name: 'a code that has expired',
    cause: /code.* expired/,
    ask: async () => {
      const late = await code()
      server.clock.advance(601)
      return redeem(server, client, late)
    },
  },
  {
    name: 'a refresh token used again at once',
    cause: /refresh token already used/,
    ask: async () => refresh(server, client, (await used()).refresh_token),
  },
  {
    name: 'a refresh token used again later',
    cause: /refresh token already used/,
    ask: async () => {
      const { refresh_token } = await used()
      server.clock.advance(11)
      return refresh(server, client, refresh_token)
    },
  },
  {
    name: 'a refresh token that a second use ended',
    cause: /used twice/,
    ask: async () => {
      const { refresh_token, next } = await used()
      server.clock.advance(11)
      await refresh(server, client, refresh_token)
      return refresh(server, client, next)
    },
  },
  {
    name: 'one of two parallel refreshes',
    cause: /already used/,
    ask: async () => {
      const { refresh_token } = await grant(server, client)
      const answers = await Promise.all([1, 2, 3].map(() => refresh(server, client, refresh_token)))
      return answers.find(({ status }) => status === 400) ?? assert.fail('all succeeded')
    },
  },
  {
    name: 'a refresh token whose authorization has ended',
    cause: /authorization .*ended/,
    ask: async () => {
      const { refresh_token } = await grant(server, client)
      const second = await grant(server, client)
      await server.post('/auth/v2/revoke', { ...client, token: second.refresh_token })
      return refresh(server, client, refresh_token)
    },
  },
]

describe('a code or refresh token of another app looks like one that does not exist', () => {
  test('a code, unused and used', async () => {
    const unknown = await redeem(server, other, 'x')
    const unused = await code()
    assert.deepEqual((await redeem(server, other, unused)).json, unknown.json)
    assert.equal((await redeem(server, client, unused)).status, 200)
    assert.deepEqual((await redeem(server, other, unused)).json, unknown.json)
    const keyed = { 'idempotency-key': 'k' }
    const fields = { grant_type: 'authorization_code', ...other, code: unused, redirect_uri: redirectUri }
    assert.deepEqual((await server.post('/auth/v2/token', fields, keyed)).json, unknown.json)
  })

  test('a refresh token: live, used just now, used long ago, ended', async () => {
    const unknown = await refresh(server, other, 'x')
    const alike = async (refresh_token: string) =>
      assert.deepEqual((await refresh(server, other, refresh_token)).json, unknown.json)
    const { refresh_token, next } = await used()
    await alike(next)
    await alike(refresh_token)
    server.clock.advance(11)
    await alike(refresh_token)
    await refresh(server, client, refresh_token)
    await alike(next)
  })
})

const answered = new Map<string, string>()

describe('invalid_grant names its cause to the client, and in the app’s request log', () => {
  for (const { name, cause, ask } of causes) {
    test(name, async () => {
      const { status, json, headers } = await ask()
      assert.deepEqual([status, json.error], [400, 'invalid_grant'])
      assert.match(json.error_description, cause)
      answered.set(headers.get('x-request-id') ?? '', json.error_description)
    })
  }

  test('in the log it is as in the response', async () => {
    // Closing flushes, and leaves the database open.
    await server.app.close()
    assert.equal(answered.size, causes.length)
    for (const [request_id, cause] of answered) {
      const entry = await server.storage.usage.logged(client.client_id, request_id)
      assert.equal(entry?.problem, cause)
    }
  })
})
