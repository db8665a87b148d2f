import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { checkRegistered, matches } from '../../src/domain/apps/redirect-uri.ts'
import { character } from '../helpers/character.ts'

const registered = 'https://app.example.com/cb'

describe('a redirect URI can be registered when it has one reading', () => {
  const fine = [
    registered,
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com:8443/cb',
    'https://app.example.com/a/b.c/d-e_f~g;v=1/%C3%A9',
    'https://203.0.113.7/cb',
    'https://xn--bcher-kva.example/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:49152/cb',
    'http://[::1]:8080/cb',
    'http://localhost:3000/cb',
    'http://localhost',
    'https://app.example.com/.well-known/cb',
    'https://app.example.com/...',
    `https://app.example.com/${'a'.repeat(2000 - 'https://app.example.com/'.length)}`,
  ]
  for (const uri of fine) {
    test(`fine: ${uri.slice(0, 80)}`, () => assert.equal(checkRegistered(uri), null))
  }
})

describe('a redirect URI is refused with the reason', () => {
  const refused: [uri: string, reason: RegExp][] = [
    ['', /does not start with https/],
    ['/cb', /does not start with https/],
    ['app.example.com/cb', /does not start with https/],
    ['//app.example.com/cb', /does not start with https/],
    ['https:app.example.com/cb', /does not start with https/],
    ['https:/app.example.com/cb', /does not start with https/],
    ['HTTPS://app.example.com/cb', /does not start with https/],
    ['javascript:alert(1)', /does not start with https/],
    ['data:text/html,x', /does not start with https/],
    ['com.example.app:/cb', /does not start with https/],
    ['ftp://app.example.com/cb', /does not start with https/],
    ['urn:ietf:wg:oauth:2.0:oob', /does not start with https/],
    ['https://', /no host/],
    ['https:///app.example.com/cb', /no host/],
    ['https://:443/cb', /no host/],
    ['http://app.example.com/cb', /loopback/],
    ['http://localhost.evil.com/cb', /loopback/],
    ['http://127.0.0.1.evil.com/cb', /loopback/],
    ['http://127.0.0.2/cb', /loopback/],
    ['http://0.0.0.0/cb', /loopback/],
    ['http://localhost./cb', /loopback/],
    ['http://[::2]/cb', /loopback/],
    ['https://user@app.example.com/cb', /user name/],
    ['https://user:pass@app.example.com/cb', /user name/],
    ['https://@app.example.com/cb', /user name/],
    ['https://app.example.com/cb#', /fragment/],
    ['https://app.example.com/cb#x', /fragment/],
    ['https://app.example.com/cb?', /query/],
    ['https://app.example.com/cb?x=1', /query/],
    ['https://app.example.com\\@evil.com/cb', /character/],
    ['https://app.example.com/cb\\', /character/],
    ['https://app.example.com/c b', /character/],
    [' https://app.example.com/cb', /character/],
    ['https://app.example.com/cb\n', /character/],
    ['https://app.exa\tmple.com/cb', /character/],
    ['https://app.example.com/cb\u0000', /character/],
    ['https://app.example.com/c\u007fb', /character/],
    ['https://bücher.example/cb', /character/],
    ['https://app.example.com／cb', /character/],
    ['https://app。example.com/cb', /character/],
    ['https://app.example.com/"><script>', /character/],
    ['https://App.example.com/cb', /lower-case/],
    ['https://*.example.com/cb', /lower-case/],
    ['https://ex%61mple.com/cb', /lower-case/],
    ['https://app%2eexample.com/cb', /lower-case/],
    ['https://app.example.com%2f@evil.com/cb', /user name/],
    ['https://app.example.com:/cb', /lower-case/],
    ['https://app.example.com;evil.com/cb', /lower-case/],
    ['https://app.example.com:443/cb', /browsers read it as https:\/\/app\.example\.com\/cb/],
    ['http://localhost:80/cb', /browsers read it as http:\/\/localhost\/cb/],
    ['http://localhost:08080/cb', /browsers read it as http:\/\/localhost:8080\/cb/],
    ['https://127.1/cb', /browsers read it as https:\/\/127\.0\.0\.1\/cb/],
    ['https://0x7f.1/cb', /browsers read it as https:\/\/127\.0\.0\.1\/cb/],
    ['https://[0:0:0:0:0:0:0:1]/cb', /browsers read it as https:\/\/\[::1\]\/cb/],
    ['https://app.example.com:65536/cb', /not a valid URL/],
    ['https://[::1/cb', /lower-case/],
    ['https://[:::1]/cb', /not a valid URL/],
    ['https://app.example.com/.', /dot segment/],
    ['https://app.example.com/a/../cb', /dot segment/],
    ['https://app.example.com/cb/..', /dot segment/],
    ['https://app.example.com/a/..;/cb', /dot segment/],
    ['https://app.example.com/%2e%2e/cb', /encoded dot/],
    ['https://app.example.com/.%2E/cb', /encoded dot/],
    ['https://app.example.com/%252e%252E/cb', /encoded dot/],
    ['https://app.example.com/%25252e/cb', /encoded dot/],
    ['https://app.example.com/a%2fb', /encoded slash/],
    ['https://app.example.com/a%5Cb', /encoded slash/],
    ['https://app.example.com/a%252Fb', /encoded slash/],
    ['https://app.example.com/a%0d%0ab', /encoded control/],
    ['https://app.example.com/a%00', /encoded control/],
    ['https://app.example.com/a%250a', /encoded control/],
    ['https://app.example.com/a%7f', /encoded control/],
    ['https://app.example.com/%', /not followed by two/],
    ['https://app.example.com/%zz', /not followed by two/],
    [`https://app.example.com/${'a'.repeat(1977)}`, /2001 characters; the maximum is 2000/],
  ]
  for (const [uri, reason] of refused) {
    test(`refused: ${JSON.stringify(uri).slice(0, 80)}`, () => {
      assert.match(checkRegistered(uri) ?? 'registered', reason)
    })
  }
})

describe('spec 5.2: the base of a requested redirect_uri is the registered one, and only a query may follow', () => {
  const accepted = [
    registered,
    `${registered}?`,
    `${registered}?a=1&b=2`,
    `${registered}?next=/home?tab=1`,
    `${registered}?next=https://evil.com/`,
    `${registered}?a=%2e%2e%5c&b=100%2510`,
    `${registered}?user=a@b.example`,
  ]
  for (const uri of accepted) {
    test(`accepted: ${uri}`, () => assert.equal(matches(uri, ['https://other.example/', registered]), true))
  }

  test('accepted: a URI without a path, with a query', () => {
    assert.equal(matches('https://app.example.com?x=1', ['https://app.example.com']), true)
  })

  const bypasses = [
    '',
    '?',
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/cb/',
    'https://app.example.com/cb/more',
    'https://app.example.com/cbx',
    'https://app.example.com/CB',
    'https://app.example.com/%63b',
    'https://app.example.com//cb',
    'https://app.example.com/cb//evil.com',
    'https://app.example.com/cb;x',
    'https://app.example.com/cb&x=1',
    'https://app.example.com/cb%3fx=1',
    'https://app.example.com/cb%23',
    'https://app.example.com/cb%00',
    'https://app.example.com/cb?x=%0d%0aLocation:evil',
    'https://app.example.com/cb?x=%7F',
    'https://app.example.com/cb?x=%00',
    'https://app.example.com/cb/..',
    'https://app.example.com/cb/../evil',
    'https://app.example.com/evil/../cb',
    'https://app.example.com/./cb',
    'https://app.example.com/x/%2e%2e/cb',
    'https://app.example.com/x/%2E./cb',
    'https://app.example.com/x/%252e%252e/cb',
    'https://app.example.com/x%2f..%2fcb',
    'https://app.example.com/x/..;/cb',
    'https://app.example.com.evil.com/cb',
    'https://app.example.com./cb',
    'https://app.example.comevil.com/cb',
    'https://evil-app.example.com/cb',
    'https://evil.app.example.com/cb',
    'https://evil.com/cb',
    'https://evil.com/https://app.example.com/cb',
    'https://evil.com?https://app.example.com/cb',
    'https://evil.com/?redirect=https://app.example.com/cb',
    'https://evil.com#https://app.example.com/cb',
    'https://app.example.com@evil.com/cb',
    'https://app.example.com:443@evil.com/cb',
    'https://app.example.com%40evil.com/cb',
    'https://app.example.com%2f@evil.com/cb',
    'https://user@app.example.com/cb',
    'https://:@app.example.com/cb',
    'https://app.example.com:443/cb',
    'https://app.example.com:8443/cb',
    'https://app.example.com:/cb',
    'http://app.example.com/cb',
    'HTTPS://app.example.com/cb',
    'https://APP.example.com/cb',
    'https://app%2eexample.com/cb',
    'https:app.example.com/cb',
    'https:/app.example.com/cb',
    'https:///app.example.com/cb',
    '//app.example.com/cb',
    '/cb',
    'cb',
    'javascript:https://app.example.com/cb',
    'javascript://app.example.com/cb',
    'javascript://app.example.com/cb?%0aalert(1)',
    'data:text/html,https://app.example.com/cb',
    'blob:https://app.example.com/cb',
    'view-source:https://app.example.com/cb',
    'https://[::ffff:127.0.0.1]/cb',
    'https://localhost.evil.com/cb',
    'https://127.0.0.1.evil.com/cb',
    'https://app.example.com\\@evil.com/cb',
    'https://evil.com\\@app.example.com/cb',
    'https:\\\\app.example.com\\cb',
    'https://app.example.com/cb\\..\\evil',
    'https://app.example.com/cb#',
    'https://app.example.com/cb#evil',
    'https://app.example.com/cb?x#evil',
    'https://app.example.com/cb?x=\\evil',
    'https://app.example.com/cb?x=a b',
    'https://app.example.com/cb?x=a\tb',
    'https://app.example.com/cb?x=\r\nLocation:https://evil.com',
    'https://app.example.com/cb?x=\u0000',
    'https://app.example.com/cb?x=é',
    'https://app.example.com/cb?x=\ud800',
    ' https://app.example.com/cb',
    'https://app.example.com/cb ',
    'https://app.example.com/cb\n',
    'https://app.example.com/c\tb',
    'ht\ntps://app.example.com/cb',
    '\u0000https://app.example.com/cb',
    'https://app.example.com\u3002evil.com/cb',
    'https://app.example.com\uff0fcb',
    'https://app.ex\u0430mple.com/cb',
    '\ufeffhttps://app.example.com/cb',
    `${registered}?${'x'.repeat(2000)}`,
    `${registered}${'/a'.repeat(100_000)}`,
  ]
  for (const uri of bypasses) {
    test(`refused: ${JSON.stringify(uri).slice(0, 80)}`, () =>
      assert.equal(matches(uri, [registered]), false))
  }

  test('nothing matches when nothing is registered', () => {
    assert.equal(matches(registered, []), false)
    assert.equal(matches('', []), false)
  })

  test('loopback: the port is part of the comparison, and so is the spelling of the host', () => {
    const loopback = ['http://127.0.0.1:8080/cb']
    assert.equal(matches('http://127.0.0.1:8080/cb?x=1', loopback), true)
    for (const uri of ['http://127.0.0.1:8081/cb', 'http://127.0.0.1/cb', 'http://localhost:8080/cb']) {
      assert.equal(matches(uri, loopback), false, uri)
    }
  })

  test('a URI that checkRegistered refuses opens nothing, even if a database holds it', () => {
    for (const bad of [
      'http://evil.com/cb',
      'https://a@b.example/cb',
      'https://a.example/../cb',
      'https://a.example/cb#',
      'javascript:alert(1)',
      '',
    ]) {
      assert.equal(matches(bad, [bad]), false, bad)
    }
  })
})

describe('whatever matches accepts, a URL parser sends to the registered origin and path', () => {
  const bases = [registered, 'https://app.example.com', 'http://[::1]:8080/a/b', 'http://localhost:3000/']
  const sharp = fc.constantFrom(
    '?',
    '#',
    '@',
    '/',
    '//',
    '\\',
    ':',
    ';',
    '.',
    '..',
    '%2e',
    '%2f',
    '%5c',
    '%00',
    '%',
    '&',
    '=',
    '\t',
    '\n',
    '\r',
    '\u0000',
    ' ',
    '\u3002',
    '\uff0f',
    'é',
    'evil.com',
    ':443',
    'https://',
    'x',
  )
  const noise = fc.oneof(sharp, fc.string({ maxLength: 5 }), fc.string({ unit: character, maxLength: 3 }))

  /** A registered URI with noise put in at some place, often at its end, where a query may follow. */
  const mutated = fc
    .record({ base: fc.constantFrom(...bases), at: fc.double({ min: 0, max: 1.5, noNaN: true }) })
    .chain(({ base, at }) => {
      const place = Math.min(base.length, Math.floor(at * base.length))
      return fc
        .array(noise, { maxLength: 6 })
        .map(parts => base.slice(0, place) + parts.join('') + base.slice(place))
    })

  function holds(requested: string): boolean {
    if (!matches(requested, bases)) return false
    const url = new URL(requested)
    const [base = ''] = requested.split('?', 1)
    const expected = new URL(base)
    assert.ok(bases.includes(base))
    assert.equal(url.origin, expected.origin)
    assert.equal(url.pathname, expected.pathname)
    assert.equal(url.username + url.password + url.hash, '')
    return true
  }

  test('for URIs near the registered ones', () => {
    let accepted = 0
    fc.assert(
      fc.property(mutated, requested => {
        if (holds(requested)) accepted++
      }),
      { numRuns: 20_000 },
    )
    assert.ok(accepted > 500, `only ${accepted} were accepted: the property would prove little`)
  })

  test('for any query at all', () => {
    fc.assert(fc.property(fc.string({ unit: character }), query => void holds(`${registered}?${query}`)))
  })

  test('and whatever can be registered survives URL parsing', () => {
    let registrable = 0
    fc.assert(
      fc.property(mutated, uri => {
        if (checkRegistered(uri) !== null) return
        registrable++
        const { href } = new URL(uri)
        assert.ok(href === uri || href === `${uri}/`, `${uri} became ${href}`)
      }),
      { numRuns: 20_000 },
    )
    assert.ok(registrable > 500, `only ${registrable} were registrable: the property would prove little`)
  })
})
