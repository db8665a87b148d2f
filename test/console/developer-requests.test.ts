import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { advice } from '../../src/console/developer/app/error-advice.ts'
import type { Browser } from '../helpers/browser.ts'
import { createApp, type OwnApp, signedIn } from '../helpers/developer.ts'
import { assertNoInlineCode, linked, wordsOf } from '../helpers/html.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'

/** An app's request log: one line a request, found by what it was, and how to get rid of its error. */

let server: TestServer
let developer: Browser
let app: OwnApp
let token: string
let log: string

before(async () => {
  server = await startServer()
  await server.newAccount('dev@example.com', 'developer')
  developer = await signedIn(server, 'dev@example.com')
  app = await createApp(developer)
  log = `${app.path}/requests`
})

after(() => server.close())

const idOf = ({ headers }: Answer) => headers.get('x-request-id') ?? ''
const open = async (query: Record<string, string> = {}): Promise<string> => {
  const { status, text } = await developer.open(`${log}?${new URLSearchParams(query)}`)
  assert.equal(status, 200, text)
  assertNoInlineCode(text)
  return text
}
/** The ids in the order of the page. */
const idsIn = (text: string): string[] =>
  [...text.matchAll(/<th role="rowheader"[^>]*><a href="[^"]*"><code class="whole">([^<]+)/g)].map(
    ([, id]) => id ?? '',
  )

describe('before anything was asked', () => {
  test('the page says what to do, how long the log is kept, and what is not in it', async () => {
    const text = wordsOf(await open())
    assert.match(text, /No requests yet/)
    assert.match(text, /keeps the newest 10,000 requests of each app for 7 days/)
    assert.match(text, /the log leaves some out/)
    assert.match(text, /are not in any log/)
  })
})

describe('a log with something in it', () => {
  const made: Record<string, string> = {}

  before(async () => {
    token = await server.token(app)
    const ask = async (name: string, path: string) => {
      server.clock.advance(1)
      made[name] = idOf(await server.get(path, token))
    }
    await ask('stores', '/integration/v1/stores')
    await ask('invalid', '/integration/v1/orders?store_id=x')
    await ask('unknown', '/integration/v1/inventory/items?store_id=77')
    server.clock.advance(1)
    const { client_id } = app
    const wrong = { grant_type: 'client_credentials', client_id, client_secret: 'wrong' }
    made['secret'] = idOf(await server.post('/auth/v2/token', wrong))
  })

  test('has every request, newest first: time, endpoint, status, code, latency, id', async () => {
    const page = await open()
    const { secret, unknown, invalid, stores } = made
    assert.deepEqual(idsIn(page).slice(0, 4), [secret, unknown, invalid, stores])
    const text = wordsOf(page)
    assert.match(text, /1 Nov 2026, 12:00:01 GET \/integration\/v1\/stores 200 – [\d.]+ ms/)
    assert.match(
      text,
      /1 Nov 2026, 12:00:03 GET \/integration\/v1\/inventory\/items Store 77 store_id=77 404 store_not_found No store has the id 77/,
    )
    assert.match(text, /POST \/auth\/v2\/token 401 invalid_client/)
  })

  test('each error says how to get rid of it', async () => {
    const text = wordsOf(await open())
    for (const [code, problem] of [
      ['store_not_found', 'No store has the id 77'],
      ['parameter_invalid', 'store_id was "x"; .* start_date is required; end_date is required'],
      ['invalid_client', 'client authentication failed'],
    ] as const) {
      const [before, after] = text.split(wordsOf(advice[code].replaceAll('`', ' ')))
      assert.ok(after !== undefined, code)
      assert.match(before ?? '', new RegExp(`${code} ${problem} $`))
    }
  })

  test('errors alone, one endpoint alone, and both', async () => {
    const { secret, unknown, invalid, stores } = made
    const endpoint = 'GET /integration/v1/orders'
    assert.deepEqual(idsIn(await open({ errors: 'yes' })), [secret, unknown, invalid])
    assert.deepEqual(idsIn(await open({ endpoint })), [invalid])
    assert.deepEqual(idsIn(await open({ endpoint: 'GET /integration/v1/stores' })), [stores])
    assert.deepEqual(idsIn(await open({ endpoint: 'GET /integration/v1/stores', errors: 'yes' })), [])
    const page = await open({ endpoint, errors: 'yes' })
    assert.match(page, /<option value="GET \/integration\/v1\/orders" selected>/)
    assert.match(page, /name="errors" value="yes" checked/)
  })

  test('by request id: exactly that one, with spaces around it or not', async () => {
    const { invalid = '' } = made
    assert.deepEqual(idsIn(await open({ q: ` ${invalid} ` })), [invalid])
    for (const q of [invalid.slice(0, -1), invalid.toUpperCase(), '%', '*', "' or 1=1 --"]) {
      const page = await open({ q })
      assert.deepEqual(idsIn(page), [], q)
      assert.match(page, /No request has this id/)
    }
  })

  test('a request of another app is not found by its id', async () => {
    const theirs = await server.newApp({ name: 'Theirs' })
    const answer = await server.get('/integration/v1/stores', await server.token(theirs))
    assert.deepEqual(idsIn(await open({ q: idOf(answer) })), [])
    assert.equal((await developer.open(`${log}/${idOf(answer)}`)).status, 404)
  })

  test('a refused request shows its query and its problem, in the list and on a page of its own', async () => {
    const script = '<script>alert(1)</script>'
    const query = new URLSearchParams({ store_id: '1001', count: script, token: 'abc', x: 'y'.repeat(150) })
    const refused = idOf(await server.get(`/integration/v1/inventory/sales?${query}`, token))
    const list = await open({ q: refused })
    const path = `${log}/${refused}`
    assert.ok(list.includes(`href="${path}"`))
    const { status, text: page } = await developer.open(path)
    assert.equal(status, 200)
    assertNoInlineCode(page)
    for (const shown of [list, page]) {
      const text = wordsOf(shown)
      assert.ok(text.includes('store_id=1001&count=%3Cscript%3Ealert%281%29%3C%2Fscript%3E'), text)
      assert.ok(text.includes('token=[removed]'), text)
      assert.ok(text.includes('start_date is required'), text)
      assert.ok(!shown.includes(script))
    }
    const text = wordsOf(page)
    assert.ok(text.includes('y'.repeat(150)), 'the page has the whole query')
    assert.match(text, /parameter_invalid Problem start_date is required; end_date is required; count was/)
    assert.match(text, /start_date: required end_date: required count: not_an_integer What to do/)
    const answered = wordsOf((await developer.open(`${log}/${made['stores']}`)).text)
    assert.match(answered, /Endpoint GET \/integration\/v1\/stores Status 200 Latency/)
    for (const unknown of ['AAAAAAAAAAAAAAAAAAAAAA', encodeURIComponent(script), '%00', `${refused}x`]) {
      const { status, text } = await developer.open(`${log}/${unknown}`)
      assert.equal(status, 404, unknown)
      assertNoInlineCode(text)
    }
  })

  test('pages of 50, newest first, without a gap or a repetition, and the filter goes along', async () => {
    const asked: string[] = []
    for (let i = 0; i < 110; i++) {
      if (i % 3 === 0) server.clock.advance(1)
      asked.push(idOf(await server.get('/integration/v1/orders?store_id=x', token)))
    }
    const pages: string[][] = []
    let path: string | undefined = `${log}?errors=yes&endpoint=GET+%2Fintegration%2Fv1%2Forders`
    while (path !== undefined) {
      const { text }: Answer = await developer.open(path)
      pages.push(idsIn(text))
      path = linked(text, 'next')
      assert.ok(pages.length < 5)
    }
    assert.deepEqual(
      pages.map(({ length }) => length),
      [50, 50, 11],
    )
    assert.equal(new Set(pages.flat()).size, 111)
    assert.deepEqual(pages.flat().slice(0, 110).sort(), [...asked].sort())
    assert.match((await developer.open(`${log}?before=1.x`)).text, /Show all requests/)
  })

  test('what is not a place, a filter or a number changes nothing', async () => {
    for (const query of ['before=x', 'before=9.%27', 'before=1&before=2', 'errors=1&errors=yes', 'q=a&q=b']) {
      assert.equal((await developer.open(`${log}?${query}`)).status, 200, query)
    }
    const script = '<script>alert(1)</script>'
    assertNoInlineCode(await open({ endpoint: script, q: script }))
  })

  test('lines older than the log is kept are gone after the sweep', async () => {
    server.clock.advance(7 * 86_400 + 60)
    await server.storage.purge(server.clock.now())
    developer = await signedIn(server, 'dev@example.com') // the session is gone too
    assert.deepEqual(idsIn(await open()), [])
  })
})
