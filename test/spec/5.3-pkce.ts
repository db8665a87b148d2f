import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  authorizePath,
  challenge,
  type Client,
  decide,
  type Fields,
  redeem,
  redirectUri,
  refusedAt,
  verifier,
} from '../helpers/authorize.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

let server: TestServer

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore())
})

after(() => server.close())

const s256 = { code_challenge: challenge, code_challenge_method: 'S256' }

async function newApp(kind: string): Promise<Client> {
  const app = await server.newApp({ redirect_uris: [redirectUri], public: kind === 'public' })
  return { client_id: app.client_id, client_secret: app.client_secret }
}

/** A public app has no secret to send. */
const own = (app: Client): Fields => (app.client_secret === '' ? { client_secret: undefined } : {})

for (const kind of ['public', 'confidential']) {
  describe(`spec 5.3, design: PKCE of a ${kind} app`, () => {
    const redeemed: {
      name: string
      challenge: Fields
      verifier: string | undefined
      want: [number, string?]
    }[] = [
      { name: 'S256 with its verifier works', challenge: s256, verifier, want: [200] },
      {
        name: 'another verifier is refused',
        challenge: s256,
        verifier: `${verifier}x`,
        want: [400, 'invalid_grant'],
      },
      { name: 'no verifier is refused', challenge: s256, verifier: undefined, want: [400, 'invalid_grant'] },
      {
        name: 'the challenge as verifier is refused',
        challenge: s256,
        verifier: challenge,
        want: [400, 'invalid_grant'],
      },
      { name: 'an empty verifier is refused', challenge: s256, verifier: '', want: [400, 'invalid_grant'] },
    ]
    for (const row of redeemed) {
      test(row.name, async () => {
        const app = await newApp(kind)
        const { searchParams } = await decide(server, app, { changes: row.challenge })
        const { status, json } = await redeem(server, app, searchParams.get('code'), {
          ...own(app),
          code_verifier: row.verifier,
        })
        assert.deepEqual([status, json.error], [row.want[0], row.want[1]])
      })
    }

    const refused: [name: string, changes: Fields][] = [
      ['plain', { code_challenge: verifier, code_challenge_method: 'plain' }],
      ['a challenge without a method, which means plain', { code_challenge: challenge }],
      ['an unknown method', { code_challenge: challenge, code_challenge_method: 'S512' }],
      ['a method without a challenge', { code_challenge_method: 'S256' }],
      ['a challenge that is too short', { ...s256, code_challenge: 'abc' }],
      [
        'a challenge with characters that are not allowed',
        { ...s256, code_challenge: `${challenge.slice(1)}=` },
      ],
    ]
    for (const [name, changes] of refused) {
      test(`S256 only: ${name} is invalid_request`, async () => {
        const { searchParams } = await refusedAt(server, authorizePath(await newApp(kind), changes))
        assert.equal(searchParams.get('error'), 'invalid_request')
      })
    }
  })
}

describe('design: PKCE is required of public apps', () => {
  test('a public app without a challenge is invalid_request', async () => {
    const { searchParams } = await refusedAt(server, authorizePath(await newApp('public')))
    assert.equal(searchParams.get('error'), 'invalid_request')
  })

  test('a confidential app may do without', async () => {
    const app = await newApp('confidential')
    const { searchParams } = await decide(server, app)
    assert.equal((await redeem(server, app, searchParams.get('code'))).status, 200)
  })

  test('a verifier for a code that had no challenge is refused (RFC 9700 §2.1.1: no downgrade)', async () => {
    const app = await newApp('confidential')
    const { searchParams } = await decide(server, app)
    const { status, json } = await redeem(server, app, searchParams.get('code'), { code_verifier: verifier })
    assert.deepEqual([status, json.error], [400, 'invalid_grant'])
  })
})
