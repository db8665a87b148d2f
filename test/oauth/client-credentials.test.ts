import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createApps } from '../../src/domain/apps/apps.ts'
import { createKeys } from '../../src/domain/keys.ts'
import { createIssueOwnToken, type IssueOwnToken } from '../../src/oauth/client-credentials.ts'
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
  fields: [string, string][]
  headers: Record<string, string>
}

const body = (fields: Sent['fields']): string => new URLSearchParams(fields).toString()

const ask = ({ fields, headers }: Sent): Promise<RawAnswer> =>
  send(server.base, { method: 'POST', path: '/auth/v2/token', headers, body: body(fields) })

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
const byProvider = ({ fields, headers }: Sent): Sent => ({ fields: [...fields, ['pad', 'x']], headers })

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
    })
    .map(({ grant, id, secret, scope, authorization, repeated, type, origin }): Sent => {
      const named = Object.hasOwn(clients, id ?? '') ? clients[id as keyof typeof clients] : null
      const client_id = named?.client_id ?? id
      const client_secret = secret === 'right' ? (named ?? clients.usual).client_secret : secret
      const fields = Object.entries({ grant_type: grant, client_id, client_secret, scope }).filter(
        (field): field is [string, string] => field[1] !== null,
      )
      const again = fields.filter(([name]) => name === repeated)
      const basic = { right: basicOf(clients.usual), wrong: basicOf(clients.public) }
      return {
        fields: [...fields, ...again],
        headers: {
          ...(type !== null && { 'content-type': type }),
          ...(origin !== null && { origin }),
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
    const scope: [string, string][] = [['scope', 'integration.order']]
    const grant: [string, string][] = [['grant_type', 'client_credentials']]
    const headers = { 'content-type': formType }
    const authorization = basicOf(clients.usual)
    for (const sent of [
      { fields: [...grant, ...Object.entries(clients.usual), ...scope] as [string, string][], headers },
      { fields: [...grant, ...scope], headers: { ...headers, authorization } },
    ]) {
      const answer = lasting(await ask(sent))
      assert.deepEqual(answer, lasting(await ask(byProvider(sent))))
      assert.equal(answer.token?.claims.sub, clients.usual.client_id)
    }
  })
})

describe('which requests get their token directly', () => {
  let issue: IssueOwnToken

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
    issue = createIssueOwnToken({ providers, issuer, verifySecret })
  })

  const right = () => ({ grant_type: 'client_credentials', ...clients.usual })

  async function isIssued(
    fields: Record<string, string> | [string, string][],
    headers = {},
  ): Promise<boolean> {
    const form = new URLSearchParams(fields)
    const facts = await server.storage.clients.facts(form.get('client_id') ?? clients.usual.client_id)
    return (await issue({ form, headers: { 'content-type': formType, ...headers }, client: facts })) !== null
  }

  test('with the credentials in the form or in the header', async () => {
    assert.equal(await isIssued(right()), true)
    assert.equal(await isIssued({ ...right(), scope: 'integration.order' }), true)
    const authorization = basicOf(clients.usual)
    assert.equal(await isIssued({ grant_type: 'client_credentials' }, { authorization }), true)
  })

  test('not an app that was made public, even with a secret', async () => {
    const facts = await server.storage.clients.facts(clients.usual.client_id)
    const request = { form: new URLSearchParams(right()), headers: { 'content-type': formType } }
    const app = facts.app && { ...facts.app, public: true }
    assert.notEqual(await issue({ ...request, client: facts }), null)
    assert.equal(await issue({ ...request, client: { ...facts, app } }), null)
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
      [right(), { authorization }],
      [right(), { origin: 'https://app.example.com' }],
      [right(), { 'content-type': `${formType}; charset=latin1` }],
    ]
    for (const [fields, headers] of others)
      assert.equal(await isIssued(fields, headers), false, JSON.stringify([fields, headers]))
  })
})
