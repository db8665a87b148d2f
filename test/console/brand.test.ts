import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { longestSide } from '../../src/domain/brand/logos.ts'
import { authorizePath, decide, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { extendedWebp, gif, jpeg, page, png, pngSignature, svg, webp } from '../helpers/images.ts'
import { sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'

/** The platform's brand and the logos of apps: who may set them, what is accepted, and where people see them. */

const brandPath = '/operator/settings/brand'
let server: TestServer
/** Another node on the same database. */
let other: TestServer
let operator: Browser
let developer: Browser
let app: { client_id: string; client_secret: string; redirect_uri?: string }
let logoPath: string

before(async () => {
  const database = await emptyDatabase({ shared: true })
  server = await startServer({ database })
  other = await startServer({ database, clock: server.clock })
  await server.newAccount('ops@example.com', 'operator')
  await server.newAccount('owner@example.com')
  const { id: owner_id } = await server.newAccount('dev@example.com', 'developer')
  await server.newAccount('rival@example.com', 'developer')
  await server.storage.switches.set('sign_up', true)
  await server.push(sampleStore({ merchant: 'owner@example.com' }))
  app = await server.newApp({ name: 'ébauche', owner_id, redirect_uris: [redirectUri] })
  logoPath = `/developer/apps/${app.client_id}/logo`
  operator = new Browser(server.base)
  await operator.signIn('ops@example.com')
  developer = new Browser(server.base)
  await developer.signIn('dev@example.com')
})

after(async () => {
  await other.close()
  await server.close()
})

const csrfOf = ({ text }: Answer) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

async function save(fields: Partial<Record<'name' | 'accent' | 'support', string>>): Promise<Answer> {
  const all = { name: '', accent: '', support: '', ...fields }
  return operator.submit(await operator.open(brandPath), all)
}

afterEach(async () => {
  await save({})
  await server.storage.logos.set('platform', null)
  await server.storage.logos.set(app.client_id, null)
})

/** As a browser sends a form with a file, with whatever name and type the sender likes. */
async function upload(
  browser: Browser,
  path: string,
  bytes: Buffer,
  { name = 'logo.png', type = 'image/png', csrf = '' as string | null } = {},
): Promise<Answer> {
  const body = new FormData()
  if (csrf !== null) body.append('_csrf', csrf || csrfOf(await browser.open('/profile')))
  body.append('part', 'logo')
  body.append('logo', new Blob([new Uint8Array(bytes)], { type }), name)
  return browser.open(path, { method: 'POST', body })
}

const logoIn = ({ text }: Answer) => /<img class="logo[^"]*" src="([^"]+)"/.exec(text)?.[1] ?? null
const storedLogos = async () => [
  await server.storage.logos.find('platform'),
  await server.storage.logos.find(app.client_id),
]

describe('the brand', () => {
  test('without one, pages are Tillgate’s', async () => {
    const { text } = await server.get('/login')
    assert.match(text, /<title>Sign in · Tillgate<\/title>/)
    assert.match(text, /<svg class="mark".*<span>Tillgate<\/span>/s)
    assert.doesNotMatch(text, /brand\.css|Need help|<footer/)
    assert.equal((await server.get('/brand.css')).status, 404)
  })

  test('every page shows the name, the colour and the support address, on every node at once', async () => {
    assert.match(
      (await save({ name: 'Harbour & <b>', accent: '#FFD400', support: 'help+pos@example.com' })).text,
      /Brand saved/,
    )
    const consent = await new Browser(server.base).reachConsent(authorizePath(app), 'owner@example.com')
    const pages = [consent, await operator.open('/operator/settings')]
    const paths = ['/', '/login', '/signup', '/login/forgot', '/password/x', '/nothing', '/docs/guides']
    for (const path of [...paths, '/auth/v2/authorize?client_id=unknown&response_type=code']) {
      pages.push(await other.get(path), await server.get(path))
    }
    // The pages of errors do not wait for the database: the first shows what was read last.
    pages.push(await other.get('/nothing'))
    for (const { text, status } of pages) {
      assert.match(text, /<title>[^<]* · Harbour &#38; &#60;b&#62;<\/title>/, `${status} ${text}`)
      assert.match(text, /<a class="brand" [^>]*><svg.*?<span>Harbour &#38; &#60;b&#62;<\/span>/s)
      assert.match(text, /href="\/brand\.css\?v=[\w-]+"/)
      assert.match(text, /Need help\? <a href="mailto:help%2Bpos@example\.com">help\+pos@example\.com<\/a>/)
      assert.doesNotMatch(text, /Tillgate<|style=/)
    }
  })

  test('the second step names the platform, and so does the key for the authenticator app', async () => {
    await save({ name: 'Harbour POS' })
    await server.storage.switches.set('two_factor_merchant', true)
    const owner = new Browser(server.base)
    const setUp = await owner.signIn('owner@example.com')
    assert.match(setUp.text, /Set up two-factor authentication · Harbour POS/)
    await server.storage.switches.set('two_factor_merchant', false)
    const account = await server.storage.accounts.findByEmail('owner@example.com')
    assert.ok(account)
    const two_factor = { secret: 'JBSWY3DPEHPK3PXP', step: 0, recovery_hashes: [], created_at: 1 }
    await server.storage.twoFactors.set(account.id, two_factor)
    const code = await new Browser(server.base).signIn('owner@example.com')
    assert.match(code.text, /the six digits that it shows for Harbour POS/)
    await server.storage.twoFactors.remove(account.id)
  })

  test('a support address on the web is shown by its host', async () => {
    await save({ support: ' https://help.example.com/pos?a=1 ' })
    const { text } = await server.get('/login')
    assert.match(text, /<a href="https:\/\/help\.example\.com\/pos\?a&#61;1">help\.example\.com<\/a>/)
  })

  const refused: Record<string, [Parameters<typeof save>[0], RegExp]> = {
    'a long name': [{ name: 'x'.repeat(41) }, /41 characters; it may have 40/],
    'an invisible name': [{ name: 'a\u202eb' }, /name must be text/],
    'a named colour': [{ accent: 'red' }, /is not of the form #3451c6/],
    'a short colour': [{ accent: '#fff' }, /is not of the form/],
    'style instead of a colour': [{ accent: '#fff;}*{x:y' }, /is not of the form/],
    'script instead of an address': [
      { support: 'javascript:alert(1)' },
      /neither an email nor an https address/,
    ],
    'a site without TLS': [{ support: 'http://help.example.com' }, /neither an email nor an https address/],
    'an address with a password': [{ support: 'https://a:b@example.com/' }, /neither an email/],
    'a mailto address': [{ support: 'mailto:help@example.com' }, /neither an email/],
    'a line break in an email': [{ support: 'a@b.example\nBcc: c@d.example' }, /neither an email/],
  }
  for (const [name, [fields, message]] of Object.entries(refused)) {
    test(`refused, with the typed values kept: ${name}`, async () => {
      const answer = await save({ name: 'Kept', ...fields })
      assert.equal(answer.status, 422)
      assert.match(answer.text, message)
      assert.match(answer.text, /<title>Error: Brand/)
      assert.deepEqual(
        { ...(await server.storage.brand.find()) },
        { name: null, accent: null, support: null, logo: null },
      )
    })
  }

  test('a form that names no part changes nothing', async () => {
    await save({ name: 'Kept' })
    const body = new URLSearchParams({ _csrf: csrfOf(await operator.open(brandPath)) })
    assert.equal((await operator.open(brandPath, { method: 'POST', body })).status, 303)
    assert.equal((await server.storage.brand.find()).name, 'Kept')
  })

  test('the stylesheet is cached by its version, and is of the current colour', async () => {
    await save({ accent: '#ffd400' })
    const address = /\/brand\.css\?v=[\w-]+/.exec((await server.get('/login')).text)?.[0] ?? ''
    const css = await other.get(address)
    assert.equal(css.headers.get('content-type'), 'text/css; charset=utf-8')
    assert.match(css.headers.get('cache-control') ?? '', /immutable/)
    assert.match(css.text, /--pico-primary-background: #ffd400/)
    await save({ accent: '#102030' })
    const old = await server.get(address)
    assert.equal(old.headers.get('cache-control'), 'no-store')
    assert.match(old.text, /#102030/)
    assert.notEqual(/\/brand\.css\?v=[\w-]+/.exec((await server.get('/login')).text)?.[0], address)
  })
})

describe('logos', () => {
  for (const [type, bytes] of [
    ['image/png', png(64, 64)],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
    ['image/webp', extendedWebp],
  ] as const) {
    test(`${type} of ${bytes.length} bytes: stored and sent byte for byte, with its own type`, async () => {
      const answer = await upload(operator, brandPath, bytes, { name: 'x.html', type: 'text/html' })
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, `${brandPath}?saved=1`])
      const address = logoIn(await other.get('/login'))
      const sent = await fetch(other.base + address)
      assert.deepEqual(Buffer.from(await sent.arrayBuffer()), bytes)
      const { headers } = sent
      assert.equal(headers.get('content-type'), type)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
      assert.match(headers.get('content-disposition') ?? '', /^inline; filename="platform\.\w+"$/)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    })
  }

  test('a new logo has a new address; the old one is not cached', async () => {
    await upload(operator, brandPath, png(2, 2))
    const first = logoIn(await server.get('/login')) ?? ''
    await upload(operator, brandPath, png(3, 3))
    const second = logoIn(await server.get('/login')) ?? ''
    assert.notEqual(first, second)
    assert.equal((await server.get(first)).headers.get('cache-control'), 'no-store')
    assert.match(
      (await server.get('/login')).text,
      new RegExp(`rel="icon" href="${second.replace('?', '\\?')}"`),
    )
    const body = new URLSearchParams({
      _csrf: csrfOf(await operator.open(brandPath)),
      part: 'logo',
      remove: 'yes',
    })
    await operator.open(brandPath, { method: 'POST', body })
    assert.equal((await server.get(second)).status, 404)
    assert.equal(logoIn(await server.get('/login')), null)
  })

  test('a developer’s logo is on the consent page and on the pages of merchant, developer and operator', async () => {
    const owner = new Browser(server.base)
    const pagesOf = async () => [
      await owner.reachConsent(authorizePath(app), 'owner@example.com'),
      await owner.open('/account/apps'),
      await owner.open(`/account/apps/${app.client_id}`),
      await operator.open(`/operator/apps/${app.client_id}`),
      await developer.open(`/developer/apps/${app.client_id}`),
    ]
    await decide(server, app, { email: 'owner@example.com', stores: ['1001'] })
    for (const { text } of await pagesOf()) {
      assert.match(text, /<span class="logo app initial" aria-hidden="true">É<\/span>/)
    }
    const answer = await upload(developer, logoPath, png(20, 10))
    assert.equal(answer.headers.get('location'), `/developer/apps/${app.client_id}?done=logo`)
    const stored = (await server.storage.apps.find(app.client_id))?.logo
    for (const shown of await pagesOf()) {
      assert.equal(logoIn(shown), `/logos/${app.client_id}?v=${stored}`)
      assert.doesNotMatch(shown.text, /class="logo app initial"/)
    }
    const { lines } = await server.storage.audit.list({ action: 'app_changed', limit: 1, scan_limit: 10 })
    assert.deepEqual([lines[0]?.app_id, lines[0]?.detail], [app.client_id, 'logo'])
    const body = new URLSearchParams({
      _csrf: csrfOf(await developer.open(logoPath)),
      part: 'logo',
      remove: 'yes',
    })
    await developer.open(logoPath, { method: 'POST', body })
    assert.deepEqual(await storedLogos(), [null, null])
    assert.match((await developer.open(logoPath)).text, /class="logo app initial"/)
  })

  const noise = Buffer.alloc(101 * 1024, 7)
  const bad: Record<string, [Buffer, RegExp]> = {
    'SVG named .png': [svg, /is not a PNG, JPEG or WebP image/],
    'HTML named .png': [page, /is not a PNG, JPEG or WebP image/],
    'a GIF': [gif, /is not a PNG, JPEG or WebP image/],
    nothing: [Buffer.alloc(0), /Pick a file/],
    'HTML behind the signature of a PNG': [Buffer.concat([pngSignature, page]), /is not a PNG/],
    'a PNG that goes on as HTML': [Buffer.concat([png(2, 2), page]), /is not a PNG/],
    'a JPEG that goes on as a ZIP archive': [
      Buffer.concat([jpeg, Buffer.from('PK\u0003\u0004')]),
      /is not a PNG/,
    ],
    'a WebP that goes on as script': [Buffer.concat([webp, Buffer.from('=alert(1)')]), /is not a PNG/],
    'an animation': [png(2, 2, [['acTL', Buffer.alloc(8)]]), /is not a PNG/],
    'a PNG of huge dimensions': [png(60_000, 60_000), /60000 × 60000 pixels; a logo is/],
    'a PNG that is a little too wide': [png(longestSide + 1, 1), /1025 × 1 pixels/],
    'a PNG without pixels': [png(0, 5), /0 × 5 pixels/],
    'more than 100 KiB': [
      png(4, 4, [['tEXt', noise]]),
      /bytes; a logo is a PNG, JPEG or WebP image of at most 100 KiB/,
    ],
  }
  for (const [name, [bytes, message]] of Object.entries(bad)) {
    test(`refused, and nothing is stored: ${name}`, async () => {
      for (const [browser, path] of [
        [operator, brandPath],
        [developer, logoPath],
      ] as const) {
        const answer = await upload(browser, path, bytes)
        assert.equal(answer.status, 422)
        assert.match(answer.text, message)
      }
      assert.deepEqual(await storedLogos(), [null, null])
    })
  }
})

describe('who may upload', () => {
  test('without the CSRF token, or with that of another browser, nothing is stored', async () => {
    const foreign = csrfOf(await server.get('/login'))
    for (const csrf of [null, 'x', foreign]) {
      for (const [browser, path] of [
        [operator, brandPath],
        [developer, logoPath],
      ] as const) {
        assert.equal((await upload(browser, path, png(2, 2), { csrf })).status, 403)
      }
    }
    assert.deepEqual(await storedLogos(), [null, null])
  })

  test('another developer’s app is answered as one that does not exist; other roles are refused', async () => {
    const rival = new Browser(server.base)
    await rival.signIn('rival@example.com')
    assert.equal((await upload(rival, logoPath, png(2, 2))).status, 404)
    assert.equal((await upload(rival, '/developer/apps/nobody/logo', png(2, 2))).status, 404)
    assert.equal((await upload(rival, '/developer/apps/platform/logo', png(2, 2))).status, 404)
    assert.equal((await upload(rival, brandPath, png(2, 2))).status, 403)
    assert.equal((await upload(operator, logoPath, png(2, 2))).status, 403)
    assert.deepEqual(await storedLogos(), [null, null])
  })

  test('a person who is not signed in is sent to sign in before the body is read', async () => {
    for (const path of [brandPath, logoPath]) {
      const answer = await upload(new Browser(server.base), path, Buffer.alloc(300 * 1024), { csrf: 'x' })
      assert.equal(answer.status, 303)
      assert.match(answer.headers.get('location') ?? '', /^\/login/)
    }
  })

  test('a body beyond the limit is 413, one that is no form is 400, and so is a file in another form', async () => {
    assert.equal((await upload(developer, logoPath, Buffer.alloc(500 * 1024))).status, 413)
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const answer = await developer.open(logoPath, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '--y\r\nnot a form',
      })
      assert.equal(answer.status, 400)
    }
    const settings = await upload(operator, '/operator/settings', png(2, 2))
    assert.equal(settings.status, 400)
    assert.equal((await upload(operator, '/operator/settings', Buffer.alloc(20_000))).status, 413)
    assert.deepEqual(await storedLogos(), [null, null])
  })

  test('a form with many parts is refused, and files where none are expected', async () => {
    const body = new FormData()
    body.append('_csrf', csrfOf(await developer.open('/profile')))
    for (let i = 0; i < 10; i++) body.append('logo', new Blob([]), 'a.png')
    assert.equal((await developer.open(logoPath, { method: 'POST', body })).status, 400)
    const login = new FormData()
    login.append('email', 'a@example.com')
    assert.equal((await developer.open('/login', { method: 'POST', body: login })).status, 400)
  })

  test('a form with two files is refused', async () => {
    const body = new FormData()
    body.append('_csrf', csrfOf(await developer.open('/profile')))
    for (const name of ['a.png', 'b.png']) body.append('logo', new Blob([new Uint8Array(png(2, 2))]), name)
    assert.equal((await developer.open(logoPath, { method: 'POST', body })).status, 422)
    assert.deepEqual(await storedLogos(), [null, null])
  })
})
