import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type CryptoKey, importJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { createKeys } from '../../src/domain/keys.ts'
import { send } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header } from '../helpers/surfaces.ts'
import { byTest } from '../helpers/by.ts'

/** RFC 6750, RFC 8725, RFC 9068: which bearer tokens are taken, and that everything else is a plain 401. */

const path = '/integration/v1/stores'

let server: TestServer
let client: { client_id: string; client_secret: string }
let good: string
/** The server's own key, as an insider could misuse it: only the claims are wrong then. */
let own: { key: CryptoKey; kid: string; publicJwk: JWK }

before(async () => {
  server = await startServer()
  client = await server.newApp()
  good = await server.token(client)
  const [stored] = await server.storage.keys.list('sign')
  const jwk = JSON.parse(stored?.secret ?? '') as JWK
  const { d: _private, ...publicJwk } = jwk
  own = { key: (await importJWK(jwk, 'ES256')) as CryptoKey, kid: stored?.id ?? '', publicJwk }
})

after(() => server.close())

const claims = () => ({
  iss: server.base,
  aud: server.base,
  sub: client.client_id,
  client_id: client.client_id,
  scope: 'integration.store',
  jti: 'made-by-hand',
  iat: server.clock.now(),
  exp: server.clock.now() + 3600,
})

const sign = (payload: object, header: object = {}, key: CryptoKey = own.key) =>
  new SignJWT({ ...payload })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: own.kid, ...header } as { alg: string })
    .sign(key)

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const strangers = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const strangersJwk = strangers.publicKey.export({ format: 'jwk' })
const byStranger = (header: object) => sign(claims(), header, strangers.privateKey as unknown as CryptoKey)

test('the tests’ own way of signing is right: with nothing changed, the token is taken', async () => {
  assert.equal((await server.get(path, await sign(claims()))).status, 200)
})

interface Row {
  name: string
  token: () => string | Promise<string>
  code?: string
}

const without = (name: string) => {
  const { [name as 'jti']: _gone, ...rest } = claims()
  return rest
}

const flip = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)

const rows: Row[] = [
  { name: 'alg none', token: () => new UnsecuredJWT({ ...claims() }).encode() },
  {
    name: 'alg none with our header and no signature',
    token: () => `${encode({ alg: 'none', typ: 'at+jwt', kid: own.kid })}.${encode(claims())}.`,
  },
  {
    name: 'alg NoNe with the signature of a good token',
    token: () => `${encode({ alg: 'NoNe', typ: 'at+jwt' })}.${good.split('.')[1]}.${good.split('.')[2]}`,
  },
  ...['JWK', 'PEM', 'x'].map(form => ({
    name: `HS256 with our public key (${form}) as the secret`,
    token: () => {
      const secret =
        form === 'JWK' ? JSON.stringify(own.publicJwk) : form === 'PEM' ? pem() : (own.publicJwk.x ?? '')
      const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: own.kid })}.${encode(claims())}`
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    },
  })),
  { name: 'a stranger’s key with our kid', token: () => byStranger({}) },
  { name: 'a stranger’s key in jwk', token: () => byStranger({ jwk: strangersJwk }) },
  {
    name: 'a stranger’s key in jwk without a kid',
    token: () => byStranger({ jwk: strangersJwk, kid: undefined }),
  },
  { name: 'a stranger’s key at jku', token: () => byStranger({ jku: 'http://127.0.0.1:9/jwks' }) },
  { name: 'a stranger’s key at x5u', token: () => byStranger({ x5u: 'http://127.0.0.1:9/cert' }) },
  { name: 'kid that is a path', token: () => byStranger({ kid: '../../../../dev/null' }) },
  { name: 'kid that is SQL', token: () => byStranger({ kid: "' or 1=1 --" }) },
  { name: 'kid that is __proto__', token: () => byStranger({ kid: '__proto__' }) },
  { name: 'kid that is an array', token: () => byStranger({ kid: [own.kid] }) },
  { name: 'no kid', token: () => sign(claims(), { kid: undefined }) },
  {
    name: 'an unknown critical header',
    token: () =>
      `${encode({ alg: 'ES256', typ: 'at+jwt', kid: own.kid, crit: ['x'], x: 1 })}.${good.split('.')[1]}.${good.split('.')[2]}`,
  },
  { name: 'typ JWT', token: () => sign(claims(), { typ: 'JWT' }) },
  { name: 'no typ', token: () => sign(claims(), { typ: undefined }) },
  { name: 'another issuer', token: () => sign({ ...claims(), iss: 'https://elsewhere.example' }) },
  { name: 'the issuer with a slash behind it', token: () => sign({ ...claims(), iss: `${server.base}/` }) },
  { name: 'another audience', token: () => sign({ ...claims(), aud: 'https://elsewhere.example' }) },
  { name: 'not yet valid', token: () => sign({ ...claims(), nbf: server.clock.now() + 60 }) },
  { name: 'expired', token: () => sign({ ...claims(), exp: server.clock.now() }), code: 'token_expired' },
  { name: 'an expiry that is text', token: () => sign({ ...claims(), exp: '9999999999' }) },
  ...['iss', 'aud', 'exp', 'iat', 'jti', 'sub', 'client_id'].map(name => ({
    name: `no ${name}`,
    token: () => sign(without(name)),
  })),
  {
    name: 'a payload that was changed',
    token: () => {
      const [head, , signature] = good.split('.')
      return [head, encode({ ...claims(), scope: 'platform.write' }), signature].join('.')
    },
  },
  { name: 'a signature that was changed', token: () => flip(good, good.lastIndexOf('.') + 10) },
  { name: 'a signature that was cut off', token: () => good.slice(0, good.lastIndexOf('.') + 1) },
  {
    name: 'a signature of zeros (CVE-2022-21449)',
    token: () => `${good.slice(0, good.lastIndexOf('.') + 1)}${Buffer.alloc(64).toString('base64url')}`,
  },
  { name: 'a fourth part', token: () => `${good}.x` },
  {
    name: 'five parts, as an encrypted token has',
    token: () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0.a.b.c.d',
  },
  { name: 'garbage', token: () => 'garbage' },
  { name: 'three parts of garbage', token: () => 'a.b.c' },
  { name: 'a header that is no object', token: () => `${Buffer.from('null').toString('base64url')}.e30.e30` },
]

function pem(): string {
  const { x, y } = own.publicJwk
  const der = Buffer.concat([
    Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'),
    Buffer.from('04', 'hex'),
    Buffer.from(x ?? '', 'base64url'),
    Buffer.from(y ?? '', 'base64url'),
  ]).toString('base64')
  return `-----BEGIN PUBLIC KEY-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END PUBLIC KEY-----\n`
}

describe('401, and WWW-Authenticate says invalid_token', () => {
  for (const { name, token, code = 'token_invalid' } of rows) {
    test(name, async () => {
      const answer = await server.get(path, await token())
      assertError('envelope', answer, 401, code)
      assert.match(header(answer, 'www-authenticate') ?? '', /^Bearer error="invalid_token"/)
    })
  }
})

describe('the Authorization header is the only place for a token, and Bearer the only scheme', () => {
  interface Place {
    name: string
    headers?: () => Record<string, string | string[]>
    query?: () => string
    code: string
    method?: string
    body?: () => string
  }
  const places: Place[] = [
    { name: 'no token at all', code: 'token_missing' },
    {
      name: 'access_token in the query (RFC 6750 §2.3)',
      query: () => `?access_token=${good}`,
      code: 'token_missing',
    },
    {
      name: 'in a cookie',
      headers: () => ({ cookie: `access_token=${good}; tillgate_session=${good}` }),
      code: 'token_missing',
    },
    { name: 'in X-Access-Token', headers: () => ({ 'x-access-token': good }), code: 'token_missing' },
    { name: 'an empty header', headers: () => ({ authorization: '' }), code: 'token_missing' },
    {
      name: 'Basic',
      headers: () => ({
        authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
      }),
      code: 'token_missing',
    },
    { name: 'DPoP', headers: () => ({ authorization: `DPoP ${good}` }), code: 'token_missing' },
    { name: 'no scheme', headers: () => ({ authorization: good }), code: 'token_missing' },
    { name: 'Bearer and nothing', headers: () => ({ authorization: 'Bearer ' }), code: 'token_invalid' },
    {
      name: 'two tokens',
      headers: () => ({ authorization: `Bearer ${good} ${good}` }),
      code: 'token_invalid',
    },
    {
      name: 'two tokens with a comma',
      headers: () => ({ authorization: `Bearer ${good}, Bearer ${good}` }),
      code: 'token_invalid',
    },
    {
      name: 'a parameter in place of the token',
      headers: () => ({ authorization: `Bearer token="${good}"` }),
      code: 'token_invalid',
    },
    {
      name: 'a byte beyond ASCII',
      headers: () => ({ authorization: `Bearer ${good}\u00e9` }),
      code: 'token_invalid',
    },
  ]
  for (const { name, headers = () => ({}), query = () => '', code } of places) {
    test(`${name}: 401 ${code}`, async () => {
      const answer = await send(server.base, { path: path + query(), headers: headers() })
      assertError('envelope', answer, 401, code)
      assert.match(header(answer, 'www-authenticate') ?? '', /^Bearer/)
    })
  }

  test('RFC 6750 §3.1: without any token the challenge has no error code', async () => {
    assert.equal(header(await server.get(path), 'www-authenticate'), 'Bearer')
  })

  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    test(`RFC 9110 §11.1: "${scheme}" is Bearer too`, async () => {
      const answer = await send(server.base, { path, headers: { authorization: `${scheme} ${good}` } })
      assert.equal(answer.status, 200)
    })
  }

  test('a token of 5 KiB is 401; one of 1 MiB is 431 and never verified', async () => {
    assertError('envelope', await server.get(path, `${good}${'A'.repeat(5000)}`), 401, 'token_invalid')
    const answer = await send(server.base, {
      path,
      headers: { authorization: `Bearer ${'A'.repeat(1_048_576)}` },
    }).catch((error: NodeJS.ErrnoException) => error)
    // The server may close before the whole megabyte is written: that is a refusal too.
    if ('status' in answer) assertError('envelope', answer, 431, 'headers_too_large')
    else assert.match(answer.code ?? '', /^(EPIPE|ECONNRESET)$/)
  })
})

describe('what can end a token before its time', () => {
  test('RFC 7009: a revoked token is 401 token_revoked at the next request, on every endpoint', async () => {
    const token = await server.token(client)
    assert.equal((await server.get(path, token)).status, 200)
    assert.equal((await server.post('/auth/v2/revoke', { ...client, token })).status, 200)
    const bad = [
      '/integration/v1/stores',
      '/integration/v1/stores?index=x',
      '/integration/v1/orders',
      '/integration/v1/inventory/items?store_id=1',
    ]
    for (const where of bad) assertError('envelope', await server.get(where, token), 401, 'token_revoked')
    assert.equal((await server.get(path, good)).status, 200, 'the app’s other tokens live on')
  })

  test('another client cannot revoke it', async () => {
    const stranger = await server.newApp()
    await server.post('/auth/v2/revoke', {
      client_id: stranger.client_id,
      client_secret: stranger.client_secret,
      token: good,
    })
    assert.equal((await server.get(path, good)).status, 200)
  })

  test('the tokens of a disabled app are rejected while it is disabled, and it gets no new ones', async () => {
    const app = await server.newApp()
    const token = await server.token(app)
    await server.apps.setDisabled(app.client_id, true, byTest)
    assertError('envelope', await server.get(path, token), 401, 'token_revoked')
    await assert.rejects(server.token(app), /401 .*invalid_client/)
    await server.apps.setDisabled(app.client_id, false, byTest)
    assert.equal((await server.get(path, token)).status, 200)
  })

  test('a wrong scope is 403 insufficient_scope, and a dead token with a wrong scope is 401', async () => {
    const app = await server.newApp({ scope: 'integration.order' })
    const token = await server.token(app)
    const answer = await server.get(path, token)
    assertError('envelope', answer, 403, 'scope_insufficient')
    assert.match(
      header(answer, 'www-authenticate') ?? '',
      /error="insufficient_scope", scope="integration.store"/,
    )
    await server.post('/auth/v2/revoke', {
      client_id: app.client_id,
      client_secret: app.client_secret,
      token,
    })
    assertError('envelope', await server.get(path, token), 401, 'token_revoked')
  })
})

describe('signing keys rotate while the server runs', () => {
  const kidOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
  const published = async () => (await server.get('/auth/v2/jwks')).json.keys as Record<string, string>[]

  test('old tokens verify, new ones name the new key, and the JWKS lists both, public parts only', async () => {
    const before = await server.token(client)
    const keys = createKeys({ storage: server.storage, clock: server.clock })
    const { id } = await keys.rotate(byTest)
    const after = await server.token(client)
    assert.equal(kidOf(after), id)
    assert.notEqual(kidOf(before), id)
    // `before` was never shown yet, so its signature is checked now.
    for (const token of [before, after]) assert.equal((await server.get(path, token)).status, 200)
    const jwks = await published()
    assert.deepEqual(new Set(jwks.map(({ kid }) => kid)), new Set([kidOf(before), kidOf(after)]))
    for (const key of jwks) {
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
      assert.deepEqual([key['alg'], key['use']], ['ES256', 'sig'])
    }
  })

  test('a key that retired 3 days ago no longer counts, whether or not another rotation deleted it', async () => {
    const keys = createKeys({ storage: server.storage, clock: server.clock })
    const first = kidOf(await server.token(client))
    await keys.rotate(byTest)
    server.clock.advance(3 * 86_400 - 1)
    assert.ok((await published()).some(({ kid }) => kid === first))
    server.clock.advance(1)
    assert.ok(!(await published()).some(({ kid }) => kid === first))
  })

  test('a token of a removed key is no longer known, even before its own expiry', async () => {
    const [newest] = await server.storage.keys.list('sign')
    const jwk = JSON.parse(newest?.secret ?? '') as JWK
    const key = (await importJWK(jwk, 'ES256')) as CryptoKey
    const token = await sign({ ...claims(), exp: server.clock.now() + 30 * 86_400 }, { kid: newest?.id }, key)
    const keys = createKeys({ storage: server.storage, clock: server.clock })
    await keys.rotate(byTest)
    server.clock.advance(3 * 86_400 + 1)
    await keys.rotate(byTest)
    assertError('envelope', await server.get(path, token), 401, 'token_invalid')
  })
})
