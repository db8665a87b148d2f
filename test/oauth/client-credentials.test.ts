import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createApps } from '../../src/domain/apps/apps.ts'
import { createKeys } from '../../src/domain/keys.ts'
import { createIssueClientToken, type IssueClientToken } from '../../src/oauth/client-credentials.ts'
import { createProviderSource } from '../../src/oauth/provider-source.ts'
import type { Client } from '../helpers/authorize.ts'
import { byTest } from '../helpers/by.ts'
import { type RawAnswer, send } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** A plain client_credentials request gets its token without the provider's request handling, and the same token. */

let server: TestServer
let clients: Record<'usual' | 'other' | 'public' | 'disabled', Client>

before(async () => {
  server = await startServer()
  const newClient = async (options = {}): Promise<Client> => {
    const { client_id, client_secret } = await server.newApp({
      scope: 'integration.store integration.order',
      ...options,
    })
    return { client_id, client_secret }
  }
  clients = {
    usual: await newClient(),
    other: await newClient(),
    public: await newClient({ public: true, redirect_uris: ['https://app.example.com/back'] }),
    disabled: await newClient(),
  }
  await createApps(server).setDisabled(clients.disabled.client_id, true, byTest)
})

after(() => server.close())

const formType = 'application/x-www-form-urlencoded'

const basicOf = ({ client_id, client_secret }: Client) =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

interface Sent {
  body: string
  headers: Record<string, string>
}

const bodyOf = (fields: Iterable<[string, string]>): string => new URLSearchParams([...fields]).toString()

const ask = ({ body, headers }: Sent): Promise<RawAnswer> =>
  send(server.base, { method: 'POST', path: '/auth/v2/token', headers, body })

/** Everything of a response that two responses to the same request have in common. */
function lasting({ status, headers, text }: RawAnswer) {
  const { access_token, ...rest } = JSON.parse(text) as Record<string, unknown>
  const { date: _date, 'x-request-id': _id, 'content-length': length, ...others } = headers
  const token =
    typeof access_token === 'string'
      ? { header: decodeProtectedHeader(access_token), claims: { ...decodeJwt(access_token), jti: null } }
      : null
  return { status, headers: others, hasLength: length !== undefined, rest, token, order: Object.keys(rest) }
}

/** The provider answers a request with a parameter that it does not know, and ignores the parameter. */
const byProvider = ({ body, headers }: Sent): Sent => ({ body: `${body}&pad=x`, headers })

describe('a request and the same request to the provider get the same response', () => {
  const requests = fc
    .record({
      grant: fc.constantFrom('client_credentials', 'client_credentials', 'refresh_token', '', null),
      id: fc.constantFrom('usual', 'usual', 'usual', 'public', 'disabled', 'unknown', '', null),
      secret: fc.constantFrom('right', 'right', 'right', 'wrong', '', null),
      scope: fc.constantFrom(
        null,
        'integration.order',
        'integration.order integration.store',
        'integration.order  integration.store',
        'integration.order integration.order',
        'integration.inventory',
        'openid',
        ' ',
        '',
      ),
      authorization: fc.constantFrom(null, null, null, 'right', 'wrong', 'broken'),
      repeated: fc.constantFrom(null, null, null, 'grant_type', 'client_id', 'client_secret', 'scope'),
      type: fc.constantFrom(
        formType,
        formType,
        `${formType};charset=UTF-8`,
        `${formType}; charset=latin1`,
        null,
      ),
      origin: fc.constantFrom(null, null, null, 'https://app.example.com'),
      attestation: fc.constantFrom(
        null,
        null,
        null,
        'oauth-client-attestation',
        'oauth-client-attestation-pop',
      ),
      before: fc.constantFrom('', '', '', '?', '&', '&&&'),
    })
    .map(({ grant, id, secret, scope, authorization, repeated, type, origin, attestation, before }): Sent => {
      const named = Object.hasOwn(clients, id ?? '') ? clients[id as keyof typeof clients] : null
      const client_id = named?.client_id ?? id
      const client_secret = secret === 'right' ? (named ?? clients.usual).client_secret : secret
      const fields = Object.entries({ grant_type: grant, client_id, client_secret, scope }).filter(
        (field): field is [string, string] => field[1] !== null,
      )
      const again = fields.filter(([name]) => name === repeated)
      const basic = { right: basicOf(clients.usual), wrong: basicOf(clients.public) }
      return {
        body: before + bodyOf([...fields, ...again]),
        headers: {
          ...(type !== null && { 'content-type': type }),
          ...(origin !== null && { origin }),
          ...(attestation !== null && { [attestation]: 'x' }),
          ...(authorization !== null && {
            authorization:
              authorization === 'broken' ? 'Basic !' : basic[authorization as keyof typeof basic],
          }),
        },
      }
    })

  test('whatever is wrong or unusual in it', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async sent => {
        assert.deepEqual(lasting(await ask(sent)), lasting(await ask(byProvider(sent))))
        // Failed authentications are counted by the minute.
        server.clock.advance(60)
        return true
      }),
      { numRuns: 200 },
    )
  })

  test('and a plain request has a token', async () => {
    const asked = { grant_type: 'client_credentials', scope: 'integration.order' }
    const headers = { 'content-type': formType }
    const authorization = basicOf(clients.usual)
    for (const sent of [
      { body: bodyOf(Object.entries({ ...asked, ...clients.usual })), headers },
      { body: bodyOf(Object.entries(asked)), headers: { ...headers, authorization } },
    ]) {
      const answer = lasting(await ask(sent))
      assert.deepEqual(answer, lasting(await ask(byProvider(sent))))
      assert.equal(answer.token?.claims.sub, clients.usual.client_id)
    }
  })
})

describe('which requests get their token directly', () => {
  let issue: IssueClientToken

  before(() => {
    const { storage, clock } = server
    const { verifySecret } = createApps({ storage, clock })
    const issuer = server.base
    const failed = (error: unknown) => assert.fail(String(error))
    const providers = createProviderSource({
      storage,
      clock,
      issuer,
      secure: false,
      keys: createKeys({ storage, clock }),
      verifySecret,
      renderError: async (_ctx, error) => failed(error),
      onServerError: failed,
    })
    issue = createIssueClientToken({ providers, issuer, verifySecret })
  })

  const right = () => ({ grant_type: 'client_credentials', ...clients.usual })

  async function isIssued(
    fields: Record<string, string> | [string, string][],
    headers = {},
  ): Promise<boolean> {
    const form = new URLSearchParams(fields)
    const facts = await server.storage.clients.facts(form.get('client_id') ?? clients.usual.client_id)
    const body = Buffer.from(form.toString())
    return (await issue({ body, headers: { 'content-type': formType, ...headers }, client: facts })) !== null
  }

  test('with the credentials in the form or in the header', async () => {
    assert.equal(await isIssued(right()), true)
    assert.equal(await isIssued({ ...right(), scope: 'integration.order' }), true)
    const authorization = basicOf(clients.usual)
    assert.equal(await isIssued({ grant_type: 'client_credentials' }, { authorization }), true)
  })

  test('not for an app that the request does not name, that is public, or that has no scope', async () => {
    const facts = await server.storage.clients.facts(clients.usual.client_id)
    const { app } = facts
    assert.ok(app)
    const body = Buffer.from(bodyOf(Object.entries(right())))
    const issued = async (changes: Partial<typeof app>) =>
      (await issue({
        body,
        headers: { 'content-type': formType },
        client: { ...facts, app: { ...app, ...changes } },
      })) !== null
    assert.equal(await issued({}), true)
    assert.equal(await issued({ id: clients.other.client_id }), false)
    assert.equal(await issued({ public: true }), false)
    assert.equal(await issued({ scope: '' }), false)
  })

  test('the provider gets every other', async () => {
    const authorization = basicOf(clients.usual)
    const others: [Record<string, string> | [string, string][], Record<string, string>?][] = [
      [{ ...right(), grant_type: 'refresh_token' }],
      [{ ...right(), client_secret: 'wrong' }],
      [{ ...right(), client_secret: '' }],
      [{ ...right(), client_id: clients.other.client_id }],
      [{ ...right(), ...clients.public }],
      [{ ...right(), ...clients.disabled }],
      [{ ...right(), client_id: 'unknown' }],
      [{ ...right(), scope: '' }],
      [{ ...right(), scope: 'integration.inventory' }],
      [{ ...right(), scope: 'integration.order integration.order' }],
      [{ ...right(), resource: 'https://api.example.com' }],
      [[...Object.entries(right()), ['client_id', clients.usual.client_id]]],
      [[...Object.entries(right()), ['scope', 'integration.order'], ['scope', 'integration.store']]],
      [right(), { authorization }],
      [right(), { origin: 'https://app.example.com' }],
      [right(), { 'oauth-client-attestation': 'x' }],
      [right(), { 'oauth-client-attestation-pop': 'x' }],
      [{ grant_type: 'client_credentials', client_secret: clients.usual.client_secret }],
      [right(), { 'content-type': `${formType}; charset=latin1` }],
    ]
    for (const [fields, headers] of others)
      assert.equal(await isIssued(fields, headers), false, JSON.stringify([fields, headers]))
  })
})
