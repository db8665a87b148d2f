import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { redirectErrors } from '../../src/errors.ts'
import { authorizePath, challenge, type Client, decide, redeem, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { send } from '../helpers/raw.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header } from '../helpers/surfaces.ts'

/** RFC 6749 §4.1.2.1, RFC 9700 §4.1, RFC 9207: where the authorize endpoint sends a browser, and where it never does. */

let server: TestServer
let client: Client

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
  client = await server.newApp({
    redirect_uris: [redirectUri, 'http://127.0.0.1:8123/cb', 'https://app.example.com/deep/path'],
  })
})

after(() => server.close())

describe('a redirect URI that is not registered, however it is disguised, ends on an error page of this server without a redirect', () => {
  const host = 'app.example.com'
  const disguises = [
    'https://evil.example/cb',
    `https://${host}.evil.example/cb`,
    `https://evil.example/${host}/cb`,
    `https://evil.example?${redirectUri}`,
    `https://evil.example#${redirectUri}`,
    `https://${host}@evil.example/cb`,
    `https://${host}:pass@evil.example/cb`,
    `https://evil.example@${host}/cb`,
    `https://user@${host}/cb`,
    `https://${host}\\@evil.example/cb`,
    `https://evil.example\\@${host}/cb`,
    `https://${host}%2eevil.example/cb`,
    `https://${host}%00.evil.example/cb`,
    `https://${host}%0d%0aX: y/cb`,
    `https://${host}\t/cb`,
    `https://${host}/cb\r\nSet-Cookie: a=b`,
    `https://${host}:443/cb`,
    `https://${host}:8443/cb`,
    `https://${host}./cb`,
    `https://APP.example.com/cb`,
    `HTTPS://${host}/cb`,
    `http://${host}/cb`,
    `//${host}/cb`,
    '/cb',
    'cb',
    `https:${host}/cb`,
    `https:/${host}/cb`,
    `https:///${host}/cb`,
    `https://${host}//cb`,
    `https://${host}/CB`,
    `https://${host}/cb/`,
    `https://${host}/cb/x`,
    `https://${host}/cb/..`,
    `https://${host}/cb/../evil`,
    `https://${host}/x/../cb`,
    `https://${host}/./cb`,
    `https://${host}/%2e%2e/cb`,
    `https://${host}/cb%2f..%2fevil`,
    `https://${host}/cb/%252e%252e/evil`,
    `https://${host}/cb;evil`,
    `https://${host}/cb/..;/evil`,
    `https://${host}/%63b`,
    `https://${host}/cb%20`,
    ` https://${host}/cb`,
    `https://${host}/cb `,
    `https://${host}/cb#fragment`,
    `https://${host}/cb?a=b#fragment`,
    `https://${host}/cb?a=\\evil`,
    `https://${host}/cb?a=\u00e9`,
    `https://${host}\u3002evil.example/cb`,
    `https://app\u2024example.com/cb`,
    `https://${host}\uff0fevil.example/cb`,
    'http://127.0.0.1:8124/cb',
    'http://127.0.0.1/cb',
    'http://localhost:8123/cb',
    'http://127.1:8123/cb',
    'http://[::1]:8123/cb',
    'javascript:alert(1)',
    `javascript://${host}/cb%0aalert(1)`,
    `data:text/html,${redirectUri}`,
    'file:///cb',
    `intent://${host}/cb`,
    'about:blank',
    `${redirectUri},https://evil.example`,
    `${redirectUri} https://evil.example`,
    `${redirectUri}?${'x'.repeat(2000)}`,
    'null',
    '*',
    'https://*.example.com/cb',
  ]
  for (const redirect_uri of disguises) {
    test(JSON.stringify(redirect_uri.slice(0, 70)), async () => {
      // Every other parameter right, and every way in which an error could be sent back by redirect.
      for (const changes of [
        {},
        { scope: 'nothing' },
        { response_type: 'token' },
        { response_mode: 'form_post' },
        { prompt: 'none' },
      ]) {
        const answer = await server.get(authorizePath(client, { redirect_uri, state: 's', ...changes }))
        assertError('page', answer, 400)
        assert.equal(header(answer, 'location'), null)
        assert.equal(header(answer, 'refresh'), null)
        // As text at most.
        assert.doesNotMatch(answer.text, /<script|<meta http-equiv|<form|<[^>]*evil\.example/i)
      }
    })
  }

  test('spec 5.2: only a query may be added to a registered one', async () => {
    for (const redirect_uri of [`${redirectUri}?a=b`, `${redirectUri}?`, `${redirectUri}?u=https://x/@y`]) {
      const answer = await server.get(authorizePath(client, { redirect_uri }))
      assert.equal(answer.status, 303, redirect_uri)
      assert.match(header(answer, 'location') ?? '', /^\/consent\//)
    }
  })
})

describe('other errors end on a page, because no redirect URI is known to be valid', () => {
  const rows: { name: string; path: () => string }[] = [
    { name: 'no parameters', path: () => '/auth/v2/authorize' },
    { name: 'no client_id', path: () => authorizePath(client, { client_id: undefined }) },
    { name: 'an unknown client_id', path: () => authorizePath({ client_id: 'nobody' }) },
    { name: 'script for a client_id', path: () => authorizePath({ client_id: '<script>alert(1)</script>' }) },
    { name: 'client_id twice', path: () => `${authorizePath(client)}&client_id=x` },
    {
      name: 'no redirect_uri (spec 5.2: required)',
      path: () => authorizePath(client, { redirect_uri: undefined }),
    },
    { name: 'an empty redirect_uri', path: () => authorizePath(client, { redirect_uri: '' }) },
    {
      name: 'redirect_uri twice',
      path: () => `${authorizePath(client)}&redirect_uri=${encodeURIComponent('https://evil.example')}`,
    },
    {
      name: 'the same redirect_uri twice',
      path: () => `${authorizePath(client)}&redirect_uri=${encodeURIComponent(redirectUri)}`,
    },
    {
      name: 'redirect_uri as an array',
      path: () => authorizePath(client, { redirect_uri: undefined, 'redirect_uri[]': redirectUri }),
    },
    { name: 'a request to resume that nobody began', path: () => '/auth/v2/authorize/unknown' },
  ]
  for (const { name, path } of rows) {
    test(`${name}: 400`, async () => {
      const answer = await server.get(path())
      assertError('page', answer, 400)
      assert.equal(header(answer, 'location'), null)
      assert.doesNotMatch(answer.text, /<script/)
    })
  }

  test('a disabled app is an unknown one, and the page says so', async () => {
    const app = await server.newApp({ redirect_uris: [redirectUri] })
    await server.storage.apps.setDisabled(app.client_id, 1)
    const [disabled, unknown] = await Promise.all(
      [app, { client_id: 'nobody' }].map(client => server.get(authorizePath(client))),
    )
    assertError('page', disabled as Answer, 400)
    assert.match(disabled?.text ?? '', /No app has this client_id/)
    assert.equal(disabled?.text, unknown?.text)
  })

  test('a redirect_uri that is not registered is on the page: as text, shortened, without its query', async () => {
    const shown = async (redirect_uri: string) =>
      /The redirect_uri (.*) is not registered for the app/.exec(
        (await server.get(authorizePath(client, { redirect_uri }))).text,
      )?.[1]
    const other = 'http://localhost:8123/cb'
    assert.equal(await shown(other), other)
    assert.equal(await shown(`${other}?code=1`), `${other}…`)
    assert.equal(await shown(`${other}#token=1`), `${other}…`)
    assert.equal(await shown(`${other}/${'x'.repeat(300)}`), `${`${other}/`.padEnd(200, 'x')}…`)
    assert.equal(
      await shown('call us: <b>0800</b>\u202e\ud800'),
      'call%20us:%20&#60;b&#62;0800&#60;/b&#62;%E2%80%AE%EF%BF%BD',
    )
  })

  test('an app without a redirect URI cannot be asked to send anybody anywhere', async () => {
    assertError('page', await server.get(authorizePath(await server.newApp())), 400)
  })
})

describe('errors that are sent to the app in the query, with state and iss (RFC 6749 §4.1.2.1, RFC 9207)', () => {
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const rows: {
    name: string
    changes?: Record<string, string | undefined>
    also?: string
    error: string
    state?: null
  }[] = [
    { name: 'no response_type', changes: { response_type: undefined }, error: 'invalid_request' },
    { name: 'response_type token', changes: { response_type: 'token' }, error: 'unsupported_response_type' },
    {
      name: 'response_type id_token',
      changes: { response_type: 'id_token', nonce: 'n' },
      error: 'unsupported_response_type',
    },
    {
      name: 'response_type code token',
      changes: { response_type: 'code token' },
      error: 'unsupported_response_type',
    },
    ...['code code', 'code ', ' code', 'Code'].map(response_type => ({
      name: `response_type ${JSON.stringify(response_type)}`,
      changes: { response_type },
      error: 'unsupported_response_type',
    })),
    { name: 'response_type none', changes: { response_type: 'none' }, error: 'unsupported_response_type' },
    {
      name: 'response_type token by form_post',
      changes: { response_type: 'token', response_mode: 'form_post' },
      error: 'unsupported_response_type',
    },
    {
      name: 'response_type token by fragment',
      changes: { response_type: 'token', response_mode: 'fragment' },
      error: 'unsupported_response_type',
    },
    ...['fragment', 'form_post', 'web_message', 'jwt', 'query.jwt', 'nonsense'].map(response_mode => ({
      name: `response_mode ${response_mode}`,
      changes: { response_mode },
      error: 'invalid_request',
    })),
    {
      name: 'response_mode twice',
      also: '&response_mode=query&response_mode=form_post',
      error: 'invalid_request',
    },
    {
      name: 'prompt none, since the merchant always decides',
      changes: { prompt: 'none' },
      error: 'interaction_required',
    },
    { name: 'no scope', changes: { scope: undefined }, error: 'invalid_request' },
    { name: 'an empty scope', changes: { scope: '' }, error: 'invalid_request' },
    { name: 'an unknown scope', changes: { scope: 'integration.store everything' }, error: 'invalid_scope' },
    {
      name: 'spec 5.1: a scope of another grant type',
      changes: { scope: 'integration.store integration.order' },
      error: 'invalid_scope',
    },
    { name: 'the platform’s scope', changes: { scope: 'platform.write' }, error: 'invalid_scope' },
    { name: 'openid', changes: { scope: 'openid integration.store' }, error: 'invalid_scope' },
    { name: 'request', changes: { request: 'eyJhbGciOiJub25lIn0.e30.' }, error: 'request_not_supported' },
    {
      name: 'request_uri',
      changes: { request_uri: 'http://127.0.0.1:9/x' },
      error: 'request_uri_not_supported',
    },
    { name: 'another resource', changes: { resource: 'https://elsewhere.example' }, error: 'invalid_target' },
    { name: 'PKCE plain', changes: { ...pkce, code_challenge_method: 'plain' }, error: 'invalid_request' },
    {
      name: 'a challenge without a method',
      changes: { code_challenge: challenge },
      error: 'invalid_request',
    },
    {
      name: 'a method without a challenge',
      changes: { code_challenge_method: 'S256' },
      error: 'invalid_request',
    },
    {
      name: 'a challenge that is too short',
      changes: { ...pkce, code_challenge: 'abc' },
      error: 'invalid_request',
    },
    { name: 'scope twice', also: '&scope=integration.store', error: 'invalid_request' },
    { name: 'response_type twice', also: '&response_type=code', error: 'invalid_request' },
    {
      name: 'code_challenge twice',
      changes: pkce,
      also: `&code_challenge=${challenge}`,
      error: 'invalid_request',
    },
    { name: 'state twice', also: '&state=2', error: 'invalid_request', state: null },
  ]
  for (const { name, changes = {}, also = '', error, state = 's p+%&é' } of rows) {
    test(`${name}: ${error}`, async () => {
      for (const redirect_uri of [redirectUri, `${redirectUri}?tenant=7`]) {
        const path = authorizePath(client, { state: 's p+%&é', redirect_uri, ...changes }) + also
        const answer = await server.get(path)
        assert.equal(answer.status, 303, answer.text)
        const location = new URL(header(answer, 'location') ?? '')
        assert.equal(location.origin + location.pathname, redirectUri)
        assert.equal(location.hash, '')
        const { searchParams } = location
        assert.equal(searchParams.get('error'), error, location.href)
        assert.ok(Object.hasOwn(redirectErrors, error), `${error} is not in docs/errors.md`)
        assert.equal(searchParams.get('state'), state)
        assert.equal(searchParams.get('iss'), server.base)
        // RFC 6749 §4.1.2.1. The library describes every error but these two.
        const description = searchParams.get('error_description')
        if (/^request(_uri)?_not_supported$/.test(error)) assert.equal(description, null)
        else assert.match(description ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
        assert.equal(searchParams.get('tenant'), redirect_uri === redirectUri ? null : '7')
        for (const absent of ['code', 'access_token', 'id_token'])
          assert.equal(searchParams.get(absent), null)
        assert.equal(header(answer, 'cache-control'), 'no-store')
      }
    })
  }

  test('state cannot break out of the header or the page', async () => {
    const state = 'a\r\nSet-Cookie: x=1\r\n\r\n<script>alert(1)</script>"\'&#'
    const answer = await server.get(authorizePath(client, { state, scope: 'x' }))
    assert.equal(new URL(header(answer, 'location') ?? '').searchParams.get('state'), state)
    assert.deepEqual(answer.headers.getSetCookie(), [])
    assert.doesNotMatch(answer.text, /<script/)
  })

  test('one fault has one description, whether the provider finds it or the policy', async () => {
    const small = await server.newApp({ redirect_uris: [redirectUri], scope: 'integration.store' })
    const described = async (scope: string) => {
      const answer = await server.get(authorizePath(small, { scope }))
      return new URL(header(answer, 'location') ?? '').searchParams.get('error_description')
    }
    for (const scope of ['foo', 'openid', 'integration.order', 'integration.store openid'])
      assert.equal(await described(scope), 'the app is not registered for this scope', scope)
    assert.equal(await described('integration.store,openid'), 'scopes are separated by spaces')
  })

  test('offline_access, an OpenID Connect habit, is never part of a token', async () => {
    const scope = 'integration.store offline_access'
    for (const changes of [{ scope, prompt: 'consent' }, { scope }]) {
      const refused = await server.get(authorizePath(client, changes))
      assert.equal(new URL(header(refused, 'location') ?? '').searchParams.get('error'), 'invalid_scope')
    }
  })

  test('RFC 6749 §3.1: parameters of OpenID Connect and unknown prompts are ignored', async () => {
    const changes = {
      nonce: 'n',
      max_age: '0',
      acr_values: 'x',
      id_token_hint: 'x',
      registration: '{}',
      claims: '{}',
      prompt: 'select_account',
    }
    const callback = await decide(server, client, { changes })
    assert.equal((await redeem(server, client, callback.searchParams.get('code'))).status, 200)
  })

  test('RFC 6749 §3.1.2: the query of the redirect URI returns as it was written', async () => {
    const query = '?a&y=a%20b&z=~*()!&latin=%E9'
    const redirect_uri = `${redirectUri}${query}`
    const callback = await decide(server, client, { changes: { redirect_uri } })
    assert.ok(callback.href.includes(`${query}&code=`), callback.href)
  })

  for (const name of ['code', 'state', 'iss', 'error', 'error_description']) {
    test(`a redirect URI that brings its own ${name} is refused`, async () => {
      const redirect_uri = `${redirectUri}?${name}=planted`
      const answer = await server.get(authorizePath(client, { redirect_uri }))
      assert.deepEqual([answer.status, header(answer, 'location')], [400, null])
    })
  }

  test('a scope that the grant type cannot carry is refused at the exchange of a code too', async () => {
    const callback = await decide(server, client, {})
    const code = callback.searchParams.get('code')
    assertError(
      'oauth',
      await redeem(server, client, code, { scope: 'integration.order' }),
      400,
      'invalid_scope',
    )
  })
})

describe('a state of 2048 characters comes back exactly', () => {
  const kinds: [name: string, character: string][] = [
    ['ASCII', 'a'],
    ['reserved', '&'],
    ['two bytes in UTF-8', 'é'],
    ['three bytes', '漢'],
    ['four bytes', '😀'],
    ['a control character', '\u0001'],
  ]
  /** As a browser does it, but with a limit that fits a long address in the answer. */
  const openRaw = (browser: Browser, url: string) => {
    const { pathname, search } = new URL(url, server.base)
    const cookies = browser.cookies.filter(({ path }) => pathname.startsWith(path))
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    return send(server.base, { path: pathname + search, headers: { cookie } })
  }
  const stateIn = (location: string | undefined) => new URL(location ?? '').searchParams.get('state')

  for (const [name, character] of kinds) {
    const state = `${character.repeat(2047)}z`
    test(`${name}: with a code, with access_denied and with another error`, async () => {
      const refused = await send(server.base, { path: authorizePath(client, { state, scope: 'x' }) })
      assert.equal(stateIn(refused.headers.location), state)
      const browser = new Browser(server.base)
      const redirect_uri = `${redirectUri}?${'q'.repeat(1000)}`
      const path = authorizePath(client, {
        state,
        redirect_uri,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      for (const [decision, answer] of [
        ['allow', 'code'],
        ['deny', 'error'],
      ] as const) {
        const page = await browser.reachConsent(path, 'owner@example.com')
        const [, action = ''] = /action="(\/consent\/[^"]+)"/.exec(page.text) ?? []
        const [, csrf = ''] = /name="_csrf" value="([^"]*)"/.exec(page.text) ?? []
        const body = new URLSearchParams({ _csrf: csrf, decision, store: '1001' })
        const { headers } = await browser.open(action, { method: 'POST', body })
        const { headers: back } = await openRaw(browser, headers.get('location') ?? '')
        assert.equal(stateIn(back.location), state)
        assert.ok(new URL(back.location ?? '').searchParams.get(answer))
      }
    })
  }

  test('a request of 12 KiB is the longest; a longer one is a page with 414, whatever its encoding', async () => {
    const path = authorizePath(client, { state: '' })
    const most = 12 * 1024 - path.length + 2 * (path.match(/%/g)?.length ?? 0)
    for (const [state, status] of [
      ['a'.repeat(most), 303],
      ['%C3%A9'.repeat(most / 2), 303],
      ['a'.repeat(most + 1), 414],
      ['%61'.repeat(most + 1), 414],
    ] as const) {
      const answer = await send(server.base, { path: path.replace('state=', `state=${state}`) })
      assert.equal(answer.status, status, state.slice(0, 10))
      if (status === 414) assertError('page', answer, 414)
      else assert.match(answer.headers.location ?? '', /^\/consent\//)
    }
  })
})

describe('addresses come from the configured base URL alone', () => {
  const issuer = 'https://pos.example.com'
  const spoofs: { name: string; headers?: Record<string, string>; target?: string }[] = [
    { name: 'Host', headers: { host: 'evil.example' } },
    {
      name: 'X-Forwarded-Host',
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', 'x-forwarded-port': '1' },
    },
    { name: 'Forwarded', headers: { forwarded: 'host=evil.example;proto=http' } },
    {
      name: 'X-Original-Host and the like',
      headers: {
        'x-original-host': 'evil.example',
        'x-host': 'evil.example',
        'x-forwarded-server': 'evil.example',
        'x-original-url': '/evil.example',
        'x-rewrite-url': '/evil.example',
        'x-forwarded-prefix': '/evil.example',
      },
    },
    { name: 'the request line (RFC 9112 §3.2.2)', target: 'http://evil.example' },
  ]
  for (const trust_proxy of ['', '127.0.0.1']) {
    for (const { name, headers = {}, target = '' } of spoofs) {
      test(`${name} changes none, ${trust_proxy ? 'even from a trusted proxy' : 'from anybody'}`, async t => {
        const facade = await startServer({ issuer, config: { trust_proxy } })
        t.after(() => facade.close())
        const { client_id } = await facade.newApp({ redirect_uris: [redirectUri] })
        const ask = (path: string) => send(facade.base, { path: target + path, headers })

        const metadata = JSON.parse((await ask('/.well-known/oauth-authorization-server')).text)
        for (const [field, value] of Object.entries(metadata)) {
          if (field === 'issuer' || /_(endpoint|uri|documentation)$/.test(field)) {
            assert.match(String(value), /^https:\/\/pos\.example\.com(\/|$)/, field)
          }
        }
        const openapi = await ask('/openapi.json')
        assert.ok(openapi.text.includes(issuer))
        const error = await ask(authorizePath({ client_id }, { scope: 'x' }))
        assert.equal(new URL(header(error, 'location') ?? '').searchParams.get('iss'), issuer)
        const pages = [
          authorizePath({ client_id }),
          '/login?next=/x',
          '/docs',
          '/docs/',
          '/consent/x',
          '/nothing',
          '/auth/v2/authorize/x',
          '/auth/v2/jwks',
        ]
        for (const path of pages) {
          const answer = await ask(path)
          assert.match(header(answer, 'location') ?? '/', /^\/(?!\/)/, path)
          assert.doesNotMatch(JSON.stringify(answer.headers) + answer.text, /evil\.example/, path)
        }
      })
    }
  }

  test('the way back from the consent page is the base URL’s, and the token’s issuer and audience too', async t => {
    const issuer = 'http://localhost:1'
    const facade = await startServer({ issuer })
    t.after(() => facade.close())
    await facade.newAccount('owner@example.com')
    await facade.push({
      kind: 'store',
      id: 1,
      name: 'One',
      timezone: 'Europe/London',
      merchant: 'owner@example.com',
    })
    const app = await facade.newApp({ redirect_uris: [redirectUri] })
    const browser = new Browser(facade.base)
    const spoof = { headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' } }
    await browser.signIn('owner@example.com')
    const started = await browser.open(authorizePath(app), spoof)
    const consent = await browser.open(header(started, 'location') ?? '', spoof)
    const answer = await browser.submit(consent, { decision: 'allow', store: '1' })
    assert.match(header(answer, 'location') ?? '', /^http:\/\/localhost:1\/auth\/v2\/authorize\//)
    const token = await facade.token(app)
    const { iss, aud } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    assert.deepEqual([iss, aud], [issuer, issuer])
  })
})
