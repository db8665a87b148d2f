import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  authorizePath,
  challenge,
  type Client,
  codeOf,
  form,
  grant,
  redeem,
  redirectUri,
  refresh,
  verifier,
} from '../helpers/authorize.ts'
import { send } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header } from '../helpers/surfaces.ts'
import { byTest } from '../helpers/by.ts'

/** RFC 6749, RFC 6819, RFC 9700: attacks on the token endpoint, and requests that are wrong in every way. */

let server: TestServer
let client: Client
let other: Client

before(async () => {
  server = await startServer()
  await server.newAccount('owner@example.com')
  await server.push({
    kind: 'store',
    id: 1001,
    name: 'Harbour Street',
    timezone: 'Australia/Sydney',
    merchant: 'owner@example.com',
  })
  client = await newClient()
  other = await newClient()
})

after(() => server.close())

async function newClient(options: { public?: boolean; scope?: string } = {}): Promise<Client> {
  const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri], ...options })
  return { client_id, client_secret }
}

const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }

const basic = ({ client_id, client_secret }: Client) => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
})

const postBody = (body: string, headers: Record<string, string> = {}, path = '/auth/v2/token') =>
  send(server.base, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })

const ownToken = (changes: Record<string, string | undefined> = {}) =>
  form({ grant_type: 'client_credentials', ...client, ...changes }).toString()

describe('authorization_code: a code is worth something only to its client, with its redirect URI and its verifier', () => {
  test('another client gets invalid_grant, and the code still works for its own', async () => {
    const code = await codeOf(server, client)
    assertError('oauth', await redeem(server, other, code), 400, 'invalid_grant')
    assert.equal((await redeem(server, client, code)).status, 200)
  })

  const refused: {
    name: string
    changes: Record<string, string | undefined>
    challenged: boolean
    error: string
  }[] = [
    {
      name: 'a wrong verifier',
      changes: { code_verifier: 'x'.repeat(43) },
      challenged: true,
      error: 'invalid_grant',
    },
    { name: 'no verifier', changes: {}, challenged: true, error: 'invalid_grant' },
    { name: 'an empty verifier', changes: { code_verifier: '' }, challenged: true, error: 'invalid_grant' },
    {
      name: 'the challenge in place of the verifier',
      changes: { code_verifier: challenge },
      challenged: true,
      error: 'invalid_grant',
    },
    {
      name: 'a verifier that is too short',
      changes: { code_verifier: 'short' },
      challenged: true,
      error: 'invalid_request',
    },
    {
      name: 'RFC 9700 §4.8.2: a verifier without a challenge',
      changes: { code_verifier: verifier },
      challenged: false,
      error: 'invalid_grant',
    },
    {
      name: 'another redirect URI',
      changes: { redirect_uri: `${redirectUri}2` },
      challenged: false,
      error: 'invalid_grant',
    },
    {
      name: 'the redirect URI with a query that was not authorized',
      changes: { redirect_uri: `${redirectUri}?a=1` },
      challenged: false,
      error: 'invalid_grant',
    },
    {
      name: 'no redirect URI',
      changes: { redirect_uri: undefined },
      challenged: false,
      error: 'invalid_request',
    },
    { name: 'no code', changes: { code: undefined }, challenged: false, error: 'invalid_request' },
    {
      name: 'a code that was never given',
      changes: { code: 'x'.repeat(43) },
      challenged: false,
      error: 'invalid_grant',
    },
    { name: 'a code with NUL in it', changes: { code: 'a\0b' }, challenged: false, error: 'invalid_grant' },
  ]
  for (const { name, changes, challenged, error } of refused) {
    test(`${name}: ${error}`, async () => {
      const code = await codeOf(server, client, { changes: challenged ? pkce : {} })
      const answer = await redeem(server, client, code, changes)
      assertError('oauth', answer, 400, error)
    })
  }

  test('a code is invalid at 10 minutes and valid a second before', async () => {
    const [early, late] = [await codeOf(server, client), await codeOf(server, client)]
    server.clock.advance(599)
    assert.equal((await redeem(server, client, early)).status, 200)
    server.clock.advance(1)
    assertError('oauth', await redeem(server, client, late), 400, 'invalid_grant')
  })

  test('a code does not work as a refresh token, nor a refresh token as a code', async () => {
    const code = await codeOf(server, client)
    assertError('oauth', await refresh(server, client, code), 400, 'invalid_grant')
    const { refresh_token } = await grant(server, client)
    assertError('oauth', await redeem(server, client, refresh_token), 400, 'invalid_grant')
  })
})

describe('public apps: PKCE is all they have', () => {
  test('RFC 9700 §2.1.1: an authorization request without a challenge is refused', async () => {
    const app = await newClient({ public: true })
    const answer = await server.get(authorizePath(app))
    const location = new URL(header(answer, 'location') ?? '')
    assert.equal(location.searchParams.get('error'), 'invalid_request')
  })

  test('RFC 7636 §4.2: plain is refused, and so is a challenge that does not name its method', async () => {
    for (const app of [client, await newClient({ public: true })]) {
      for (const changes of [
        { code_challenge: verifier, code_challenge_method: 'plain' },
        { code_challenge: verifier },
      ]) {
        const answer = await server.get(authorizePath(app, changes))
        const location = new URL(header(answer, 'location') ?? '')
        assert.equal(location.searchParams.get('error'), 'invalid_request')
      }
    }
  })

  test('without its verifier a code is worth nothing, and with it it is', async () => {
    const { client_id } = await newClient({ public: true })
    const app = { client_id } as Client
    const code = await codeOf(server, app, { changes: pkce })
    assertError('oauth', await redeem(server, app, code), 400, 'invalid_grant')
    const next = await codeOf(server, app, { changes: pkce })
    assert.equal((await redeem(server, app, next, { code_verifier: verifier })).status, 200)
  })

  test('a public app has no token of its own', async () => {
    const { client_id } = await newClient({ public: true })
    const answer = await server.post('/auth/v2/token', { grant_type: 'client_credentials', client_id })
    assertError('oauth', answer, 400, 'unauthorized_client')
  })

  test('an app with a secret cannot do without it by calling itself public', async () => {
    const code = await codeOf(server, client)
    const answer = await redeem(server, { client_id: client.client_id } as Client, code)
    assertError('oauth', answer, 401, 'invalid_client')
  })
})

describe('refresh_token', () => {
  test('another client gets invalid_grant, and the owner’s token still works', async () => {
    const { refresh_token } = await grant(server, client)
    assertError('oauth', await refresh(server, other, refresh_token), 400, 'invalid_grant')
    assert.equal((await refresh(server, client, refresh_token)).status, 200)
  })

  for (const scope of [
    'integration.store integration.order',
    'integration.order',
    'platform.write',
    'openid',
  ]) {
    test(`RFC 6749 §6: the scope cannot grow to "${scope}"`, async () => {
      const { refresh_token } = await grant(server, client)
      assertError('oauth', await refresh(server, client, refresh_token, { scope }), 400, 'invalid_scope')
    })
  }

  test('another resource is refused, and the token is not used up', async () => {
    const { refresh_token } = await grant(server, client)
    const wrong = await refresh(server, client, refresh_token, { resource: 'https://other.example' })
    assertError('oauth', wrong, 400, 'invalid_target')
    const right = await refresh(server, client, refresh_token, { resource: server.base })
    assert.equal(right.status, 200, right.text)
  })

  test('the same scope may be asked for', async () => {
    const { refresh_token } = await grant(server, client)
    const answer = await refresh(server, client, refresh_token, { scope: 'integration.store' })
    assert.equal(answer.json.scope, 'integration.store')
  })

  test('an access token is no refresh token', async () => {
    const { access_token } = await grant(server, client)
    assertError('oauth', await refresh(server, client, access_token), 400, 'invalid_grant')
  })

  test('a refresh token after its authorization was revoked is worth nothing', async () => {
    const app = await newClient()
    const { refresh_token } = await grant(server, app)
    await server.apps.revoke(app.client_id, null, byTest)
    assertError('oauth', await refresh(server, app, refresh_token), 400, 'invalid_grant')
  })
})

/** Other schemes, and Basic that cannot be read. */
const unreadable = [
  'Bearer x',
  'Digest username="a"',
  'Basic',
  'Basic YWJj',
  'Basic !!!',
  'Basic YTpi YTpi',
  'Basic YTpiYw=',
  `Basic ${Buffer.from('%zz:b').toString('base64')}`,
  `Basic ${Buffer.from('a:\u0001').toString('base64')}`,
  `Basic ${Buffer.from('a:').toString('base64')}`,
  `Basic ${Buffer.from(':b').toString('base64')}`,
]

describe('RFC 6749 §5.2: an Authorization header that cannot authenticate is 401 with a challenge', () => {
  for (const endpoint of ['token', 'revoke', 'introspect']) {
    test(`/auth/v2/${endpoint}`, async () => {
      for (const authorization of ['', ...unreadable]) {
        for (const named of ['', `&client_id=${client.client_id}`]) {
          const body = `grant_type=client_credentials&token=x${named}`
          const answer = await postBody(body, { authorization }, `/auth/v2/${endpoint}`)
          assertError('oauth', answer, 401, 'invalid_client')
          assert.match(header(answer, 'www-authenticate') ?? '', /^Basic realm="/, authorization)
          server.clock.advance(60)
        }
      }
    })
  }
})

describe('an error_description says what to do about', () => {
  const described = async (answer: Promise<{ text: string }>) =>
    JSON.parse((await answer).text).error_description

  test('parameters in the URL', async () => {
    const path = `/auth/v2/token?${ownToken()}`
    const expected = 'parameters are read from the body, not from the URL'
    assert.equal(await described(postBody('', {}, path)), expected)
    assert.equal(await described(postBody('', basic(client), path)), expected)
    assert.equal(await described(postBody('', basic(client), '/auth/v2/introspect?token=x')), expected)
    // With all of it in the body too, the URL is not what is wrong.
    assert.notEqual(await described(postBody(`${ownToken()}&scope=x&scope=x`, {}, path)), expected)
  })

  test('another scheme than Basic', async () => {
    for (const endpoint of ['token', 'introspect', 'revoke']) {
      const body = `token=x&${ownToken()}`
      const answer = postBody(body, { authorization: 'Bearer abc' }, `/auth/v2/${endpoint}`)
      assert.match(await described(answer), /^use HTTP Basic with client_id and client_secret/)
    }
  })

  test('a public app that authenticates', async () => {
    const { client_id } = await newClient({ public: true })
    const form = `grant_type=refresh_token&refresh_token=x&token=x`
    const expected =
      'this app is public: send client_id in the body, without client_secret and Authorization header'
    for (const endpoint of ['token', 'introspect', 'revoke']) {
      for (const client_secret of ['', 'secret']) {
        const answer = await postBody(form, basic({ client_id, client_secret }), `/auth/v2/${endpoint}`)
        assertError('oauth', answer, 401, 'invalid_client')
        assert.equal(JSON.parse(answer.text).error_description, expected)
      }
    }
    assert.equal(await described(postBody(`${form}&client_id=${client_id}&client_secret=x`)), expected)
    assert.notEqual(await described(postBody(`${form}&client_id=${client_id}`)), expected)
    server.clock.advance(60)
    await server.storage.apps.setDisabled(client_id, 1)
    assert.notEqual(await described(postBody(form, basic({ client_id, client_secret: 'x' }))), expected)
  })

  test('scopes separated by commas', async () => {
    const scope = 'integration.store,integration.order'
    assert.equal(await described(postBody(ownToken({ scope }))), 'scopes are separated by spaces')
  })
})

describe('RFC 8414 §2: each endpoint accepts the authentication methods that the metadata names', () => {
  for (const endpoint of ['token', 'revocation', 'introspection']) {
    test(endpoint, async () => {
      const metadata = (await server.get('/.well-known/oauth-authorization-server')).json
      const methods: string[] = metadata[`${endpoint}_endpoint_auth_methods_supported`]
      assert.deepEqual(methods.toSorted(), ['client_secret_basic', 'client_secret_post', 'none'])
      const path = new URL(metadata[`${endpoint}_endpoint`]).pathname
      for (const method of methods) {
        const app = method === 'none' ? await newClient({ public: true }) : client
        const { client_id } = app
        const code = await codeOf(server, app, { changes: pkce })
        const { refresh_token } = (await redeem(server, app, code, { code_verifier: verifier })).json
        const credentials = {
          client_secret_basic: {},
          client_secret_post: app,
          none: { client_id },
        }[method]
        const body = form({
          grant_type: 'refresh_token',
          refresh_token,
          token: refresh_token,
          ...credentials,
        })
        const headers = method === 'client_secret_basic' ? basic(app) : {}
        const answer = await postBody(body.toString(), headers, path)
        assert.equal(answer.status, 200, `${method}: ${answer.text}`)
        if (endpoint === 'introspection') assert.equal(JSON.parse(answer.text).active, true, method)
      }
    })
  }
})

describe('RFC 6749 §5.2: the characters of an error_description', () => {
  const allowed = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/
  for (const [name, ask] of Object.entries({
    'a media type': () => postBody('{}', { 'content-type': 'a/"b\\c' }),
    'a scope': () => postBody(ownToken({ scope: '"ü\\' })),
    'a resource': () => postBody(ownToken({ resource: '"ü\\' })),
    'a repeated parameter': () => postBody(`${ownToken()}&client_id="`),
    'a grant type': () => postBody(ownToken({ grant_type: '"ü\\' })),
    'an encoded letter in the path': () => postBody('', {}, '/auth/v2/tok%65n'),
    'a method': () => send(server.base, { method: 'PUT', path: '/auth/v2/token' }),
  })) {
    test(`do not depend on ${name}`, async () => {
      const answer = await ask()
      const { error_description } = JSON.parse(answer.text)
      assert.ok(answer.status >= 400)
      assert.match(error_description, allowed)
    })
  }
})

describe('requests that are wrong in themselves', () => {
  interface Row {
    name: string
    body: () => string
    headers?: () => Record<string, string>
    status: number
    error: string
  }
  const rows: Row[] = [
    { name: 'nothing', body: () => '', status: 401, error: 'invalid_client' },
    {
      name: 'no grant_type',
      body: () => ownToken({ grant_type: undefined }),
      status: 400,
      error: 'invalid_request',
    },
    {
      name: 'an empty grant_type',
      body: () => ownToken({ grant_type: '' }),
      status: 400,
      error: 'invalid_request',
    },
    ...[
      'password',
      'implicit',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      '__proto__',
      'constructor',
      'toString',
    ].map(grant_type => ({
      name: `grant_type ${grant_type}`,
      body: () => ownToken({ grant_type }),
      status: 400,
      error: 'unsupported_grant_type',
    })),
    ...['grant_type', 'client_id', 'client_secret', 'scope'].map(name => ({
      name: `RFC 6749 §3.2: ${name} twice`,
      body: () => `${ownToken({ scope: 'integration.store' })}&${name}=integration.store`,
      status: 400,
      error: 'invalid_request',
    })),
    {
      name: 'an unknown scope',
      body: () => ownToken({ scope: 'integration.everything' }),
      status: 400,
      error: 'invalid_scope',
    },
    {
      name: 'the platform’s scope',
      body: () => ownToken({ scope: 'platform.write' }),
      status: 400,
      error: 'invalid_scope',
    },
    {
      name: 'scope __proto__',
      body: () => ownToken({ scope: '__proto__' }),
      status: 400,
      error: 'invalid_scope',
    },
    {
      name: 'NUL in the scope',
      body: () => ownToken({ scope: 'integration.store\0' }),
      status: 400,
      error: 'invalid_scope',
    },
    {
      name: 'a lone surrogate in the scope',
      body: () => `${ownToken()}&scope=%ED%A0%80`,
      status: 400,
      error: 'invalid_scope',
    },
    {
      name: 'a broken escape in the scope',
      body: () => `${ownToken()}&scope=%zz`,
      status: 400,
      error: 'invalid_scope',
    },
    {
      name: 'another resource',
      body: () => ownToken({ resource: 'https://elsewhere.example' }),
      status: 400,
      error: 'invalid_target',
    },
    {
      name: 'an unknown client',
      body: () => ownToken({ client_id: 'nobody' }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'client_id __proto__',
      body: () => ownToken({ client_id: '__proto__' }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'NUL in the client_id',
      body: () => ownToken({ client_id: `${client.client_id}\0` }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'a lone surrogate for a client',
      body: () => 'grant_type=client_credentials&client_id=%ED%A0%80&client_secret=%ED%A0%80',
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'a wrong secret',
      body: () => ownToken({ client_secret: 'wrong' }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'an empty secret',
      body: () => ownToken({ client_secret: '' }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'no secret',
      body: () => ownToken({ client_secret: undefined }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'another client’s secret',
      body: () => ownToken({ client_secret: other.client_secret }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'the placeholder that the provider is given for a secret',
      body: () => ownToken({ client_secret: 'kept as a hash' }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'a client assertion',
      body: () =>
        ownToken({
          client_secret: undefined,
          client_assertion: 'a.b.c',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'RFC 6749 §2.3: both ways to authenticate at once',
      body: () => ownToken(),
      headers: () => basic(client),
      status: 400,
      error: 'invalid_request',
    },
    {
      name: 'Basic for one client and client_id of another',
      body: () => form({ grant_type: 'client_credentials', client_id: other.client_id }).toString(),
      headers: () => basic(client),
      status: 400,
      error: 'invalid_request',
    },
    ...unreadable.map(authorization => ({
      name: `RFC 6749 §5.2: an Authorization header ${JSON.stringify(authorization)}`,
      body: () => 'grant_type=client_credentials',
      headers: () => ({ authorization }),
      status: 401,
      error: 'invalid_client',
    })),
    {
      name: 'an Authorization header of another scheme, beside a client_id and client_secret',
      body: () => ownToken(),
      headers: () => ({ authorization: 'Bearer x' }),
      status: 401,
      error: 'invalid_client',
    },
    {
      name: 'Basic with a readable client and secret, beside another client_secret',
      body: () => form({ grant_type: 'client_credentials', client_secret: 'x' }).toString(),
      headers: () => basic(client),
      status: 400,
      error: 'invalid_request',
    },
    {
      name: 'Basic, beside a client_id twice',
      body: () => 'grant_type=client_credentials&client_id=a&client_id=b',
      headers: () => basic(client),
      status: 400,
      error: 'invalid_request',
    },
    ...[
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded2',
    ].map(type => ({
      name: `a form that says it is ${type}`,
      body: () => ownToken(),
      headers: () => ({ 'content-type': type }),
      status: 415,
      error: 'invalid_request',
    })),
    {
      name: 'a value of 60 KiB',
      body: () => ownToken({ scope: 'x'.repeat(60 * 1024) }),
      status: 413,
      error: 'invalid_request',
    },
    {
      name: 'a value of 1 MiB',
      body: () => ownToken({ client_secret: 'x'.repeat(1_048_576) }),
      status: 413,
      error: 'invalid_request',
    },
  ]
  for (const { name, body, headers = () => ({}), status, error } of rows) {
    test(`${name}: ${status} ${error}`, async () => {
      const answer = await postBody(body(), headers())
      assertError('oauth', answer, status, error)
      assert.equal(header(answer, 'pragma') ?? 'no-cache', 'no-cache')
      // So that the failures of this table do not throttle each other.
      server.clock.advance(60)
    })
  }

  test('RFC 6749 §2.3.1: credentials in the query are ignored', async () => {
    const query = `/auth/v2/token?${ownToken()}`
    assertError('oauth', await postBody('', {}, query), 401, 'invalid_client')
    assertError('oauth', await postBody('grant_type=client_credentials', {}, query), 401, 'invalid_client')
  })

  test('RFC 6749 §5.2: a wrong secret by Basic is 401 with a Basic challenge; by form there is none', async () => {
    const wrong = { ...client, client_secret: 'wrong' }
    const byBasic = await postBody('grant_type=client_credentials', basic(wrong))
    assertError('oauth', byBasic, 401, 'invalid_client')
    assert.match(header(byBasic, 'www-authenticate') ?? '', /^Basic realm="/)
    assert.equal(header(await postBody(ownToken({ client_secret: 'wrong' })), 'www-authenticate'), null)
  })

  test('an unknown client and a wrong secret get the same answer', async () => {
    const unknown = await postBody(ownToken({ client_id: 'nobody' }))
    const wrong = await postBody(ownToken({ client_secret: 'wrong' }))
    assert.deepEqual([unknown.status, unknown.text], [wrong.status, wrong.text])
  })

  test('parameters that mean nothing here, whatever their names, change nothing', async () => {
    const odd =
      '&__proto__=x&__proto__[scope]=platform.write&constructor=y&hasOwnProperty=1&scope[]=platform.write&nonce=1'
    const answer = await postBody(ownToken({ scope: 'integration.store' }) + odd)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(JSON.parse(answer.text).scope, 'integration.store')
    assert.equal(({} as Record<string, unknown>)['scope'], undefined)
  })

  test('RFC 6749 §3.1: an empty parameter counts as left out', async () => {
    const answer = await postBody(ownToken({ scope: '', resource: '', refresh_token: '' }))
    assert.equal(JSON.parse(answer.text).scope, 'integration.store integration.order integration.inventory')
  })

  test('RFC 6749 §5.1: an answer with a token is never cached', async () => {
    assert.equal(header(await postBody(ownToken()), 'cache-control'), 'no-store')
  })
})

describe('client secrets', () => {
  test('two secrets live during a rotation; the third rotation’s first is dead', async () => {
    const app = await newClient()
    const works = async (client_secret: string) =>
      (await server.post('/auth/v2/token', { grant_type: 'client_credentials', ...app, client_secret }))
        .status
    const second = await server.apps.rotateSecret(app.client_id, byTest)
    assert.deepEqual([await works(app.client_secret), await works(second)], [200, 200])
    const third = await server.apps.rotateSecret(app.client_id, byTest)
    assert.deepEqual(
      [await works(app.client_secret), await works(second), await works(third)],
      [401, 200, 200],
    )
  })

  test('tokens outlive the secret that they were asked for with', async () => {
    const app = await newClient()
    const token = await server.token(app)
    await server.apps.rotateSecret(app.client_id, byTest)
    await server.apps.rotateSecret(app.client_id, byTest)
    assert.equal((await server.get('/integration/v1/stores', token)).status, 200)
  })

  test('the database holds no secret, code or refresh token as it was given out', async () => {
    const app = await newClient()
    const { refresh_token } = await grant(server, app)
    const [secret] = await server.storage.apps.secrets(app.client_id)
    assert.notEqual(secret?.hash, app.client_secret)
    assert.equal(await server.storage.artifacts.find('RefreshToken', refresh_token), null)
  })
})
