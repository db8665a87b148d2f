import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  authorizePath,
  type Client,
  codeOf,
  grant,
  redeem,
  redirectUri,
  refresh,
} from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** A code or a refresh token that somebody else got hold of: worth nothing to them, and no weapon either. */

let server: TestServer
let client: Client
let thief: Client

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push(sampleStore({ merchant: 'owner@example.com' }))
  client = await newClient('Ledger')
  thief = await newClient('Thief')
})

after(() => server.close())

const newClient = async (name: string): Promise<Client> => {
  const { client_id, client_secret } = await server.newApp({ name, redirect_uris: [redirectUri] })
  return { client_id, client_secret }
}

const stores = '/integration/v1/stores'

describe('a code in another client’s hands', () => {
  test('with the thief’s credentials it is invalid_grant, and its own client still redeems it', async () => {
    const code = await codeOf(server, client)
    const stolen = await redeem(server, thief, code)
    assert.deepEqual([stolen.status, stolen.json.error], [400, 'invalid_grant'])
    assert.equal((await redeem(server, client, code)).status, 200)
  })

  test('redeemed already, it is refused to the thief and ends nothing of its owner’s', async () => {
    const code = await codeOf(server, client)
    const tokens = (await redeem(server, client, code)).json
    server.clock.advance(60)
    assert.equal((await redeem(server, thief, code)).json.error, 'invalid_grant')
    assert.equal((await server.get(stores, tokens.access_token)).status, 200)
    assert.equal((await refresh(server, client, tokens.refresh_token)).status, 200)
  })

  test('32 tries of a thief and one of its client at once: the client’s alone succeeds', async () => {
    const code = await codeOf(server, client)
    const tries = Array.from({ length: 33 }, (_, i) => redeem(server, i === 16 ? client : thief, code))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.deepEqual(
      statuses,
      statuses.map((_, i) => (i === 16 ? 200 : 400)),
    )
  })

  test('with the victim’s client_id and without its secret it is invalid_client, and is not used up', async () => {
    const code = await codeOf(server, client)
    for (const client_secret of ['', 'guessed', thief.client_secret]) {
      assert.equal((await redeem(server, { ...client, client_secret }, code)).status, 401)
    }
    assert.equal((await redeem(server, client, code)).status, 200)
  })
})

test('a refresh token used before, in a thief’s hands, ends nothing of its owner’s', async () => {
  const first = await grant(server, client)
  const second = (await refresh(server, client, first.refresh_token)).json
  server.clock.advance(3600)
  assert.equal((await refresh(server, thief, first.refresh_token)).json.error, 'invalid_grant')
  assert.equal((await server.get(stores, second.access_token)).status, 200)
})

describe('the way back from the consent page', () => {
  for (const redirect_uri of [
    redirectUri,
    'https://evil.example/cb',
    `https://app.example.com@evil.example/cb`,
    '//evil.example',
    'javascript:alert(1)',
  ]) {
    test(`reads no address from its own query: ${redirect_uri}`, async () => {
      const query = new URLSearchParams({
        client_id: client.client_id,
        response_type: 'token',
        scope: 'integration.store',
        state: 's',
        redirect_uri,
      })
      const answer = await server.get(`/auth/v2/authorize/AAAAAAAAAAAAAAAAAAAAA?${query}`)
      assert.deepEqual([answer.status, answer.headers.get('location')], [400, null])
    })
  }

  test('cannot be resumed before the merchant has decided', async () => {
    const browser = new Browser(server.base)
    const consent = await browser.reachConsent(authorizePath(client), 'owner@example.com')
    const [, uid] = /action="\/consent\/([\w-]+)"/.exec(consent.text) ?? []
    const answer = await browser.open(`/auth/v2/authorize/${uid}`)
    const location = answer.headers.get('location') ?? ''
    assert.ok(!location.includes('code='), location)
  })
})
