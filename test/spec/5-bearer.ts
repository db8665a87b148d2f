import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { startServer } from '../helpers/server.ts'
import { activate, lists, refusal, startWorld, stores, type World, withQuery } from '../helpers/world.ts'

let world: World
let token: string

before(async () => {
  world = await startWorld()
  token = await world.token()
})

after(() => world.close())

const endpoints = [
  ...lists.map(({ path, query }) => ({ method: 'GET', path: withQuery(path, query) })),
  { method: 'POST', path: activate(1001) },
]

async function ask(endpoint: (typeof endpoints)[number], authorization?: string) {
  const response = await fetch(world.server.base + endpoint.path, {
    method: endpoint.method,
    headers: authorization === undefined ? {} : { authorization },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

const part = (index: number): string => token.split('.')[index] ?? ''
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (text: string): any => JSON.parse(Buffer.from(text, 'base64url').toString())

describe('spec 5: the header Authorization with Bearer and the access token', () => {
  for (const endpoint of endpoints) {
    const name = `${endpoint.method} ${endpoint.path.split('?')[0]}`
    test(`${name} with it is 200`, async () => {
      assert.equal((await ask(endpoint, `Bearer ${token}`)).status, 200)
    })
    test(`${name} without it is 401 token_missing`, async () => {
      const answer = await ask(endpoint)
      assert.deepEqual(refusal(answer), [401, 'token_missing'])
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    })
    test(`${name} with an invalid token is 401 token_invalid`, async () => {
      const answer = await ask(endpoint, `Bearer ${token.slice(0, -4)}AAAA`)
      assert.deepEqual(refusal(answer), [401, 'token_invalid'])
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
    })
  }

  test('RFC 9110 §11.1: the scheme’s name may be written in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'BeArEr']) {
      assert.equal(
        (await world.server.get(stores, undefined, { authorization: `${scheme} ${token}` })).status,
        200,
      )
    }
  })

  const headers: [name: string, header: () => string][] = [
    ['no token', () => 'Bearer'],
    ['two tokens', () => `Bearer ${token} ${token}`],
    ['a comma', () => `Bearer ${token}, Bearer ${token}`],
    ['quotes', () => `Bearer "${token}"`],
    ['nonsense', () => 'Bearer abc'],
    ['dots', () => 'Bearer ..'],
    ['a client secret', () => `Bearer ${world.reader.client_secret}`],
    ['a token of enormous length', () => `Bearer ${'a'.repeat(6000)}`],
    ['a cut token', () => `Bearer ${token.slice(0, -1)}`],
    ['no signature', () => `Bearer ${part(0)}.${part(1)}.`],
    ['alg none', () => `Bearer ${encode({ alg: 'none', typ: 'at+jwt' })}.${part(1)}.`],
    [
      'more scopes written in',
      () => `Bearer ${part(0)}.${encode({ ...decode(part(1)), scope: 'platform.write' })}.${part(2)}`,
    ],
    [
      'a later end written in',
      () => `Bearer ${part(0)}.${encode({ ...decode(part(1)), exp: 9_999_999_999 })}.${part(2)}`,
    ],
  ]
  for (const [name, header] of headers) {
    test(`${name} is 401`, async () => {
      const answer = await world.server.get(stores, undefined, { authorization: header() })
      assert.deepEqual(refusal(answer), [401, 'token_invalid'])
    })
  }

  for (const [name, header] of [
    ['another scheme', () => `Basic ${Buffer.from('a:b').toString('base64')}`],
    ['no scheme', () => token],
    ['a scheme that begins like it', () => `Bearers ${token}`],
  ] as const) {
    test(`${name} is no bearer token: 401`, async () => {
      const answer = await world.server.get(stores, undefined, { authorization: header() })
      assert.deepEqual(refusal(answer), [401, 'token_missing'])
    })
  }

  test('a token signed by another key is 401', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const forged = await new SignJWT(decode(part(1))).setProtectedHeader(decode(part(0))).sign(privateKey)
    assert.deepEqual(refusal(await world.server.get(stores, forged)), [401, 'token_invalid'])
  })

  test('a token of another Tillgate is 401', async () => {
    const other = await startServer()
    try {
      const foreign = await other.token(await other.newApp())
      assert.deepEqual(refusal(await world.server.get(stores, foreign)), [401, 'token_invalid'])
    } finally {
      await other.close()
    }
  })

  test('a token in the query or in a form is not looked at', async () => {
    assert.deepEqual(refusal(await world.server.get(`${stores}?access_token=${token}`)), [
      401,
      'token_missing',
    ])
    const posted = await world.server.post(activate(1001), { access_token: token })
    assert.deepEqual(refusal(posted), [401, 'token_missing'])
  })

  test('spec 5.3: an access token is JWT-form and says no more than it must', async () => {
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    const { alg, typ } = decode(part(0))
    assert.deepEqual([alg, typ], ['ES256', 'at+jwt'])
    const { iss, aud, client_id, scope, iat, exp } = decode(part(1))
    assert.deepEqual([iss, aud, client_id], [world.server.base, world.server.base, world.reader.client_id])
    assert.equal(scope, 'integration.store integration.order integration.inventory')
    assert.deepEqual([iat, exp - iat], [world.server.clock.now(), 172_800])
  })
})
