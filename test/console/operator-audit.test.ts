import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AuditEntry } from '../../src/storage/port/index.ts'
import { orderedId } from '../../src/lib/ids.ts'
import { Browser } from '../helpers/browser.ts'
import { linked, wordsOf } from '../helpers/html.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'

/** /operator/audit: the log to read, to search and to take along. */

let server: TestServer
let operator: Browser
let dev: { id: string }
let app: { client_id: string }

before(async () => {
  server = await startServer()
  await server.newAccount('ops@example.com', 'operator')
  dev = await server.newAccount('dev@example.com', 'developer')
  app = await server.newApp({ name: 'Ledger <b>', owner_id: dev.id })
  operator = new Browser(server.base)
  await operator.signIn('ops@example.com')
})

after(() => server.close())

const entry = (id: string, over: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: 1_793_534_400,
  action: 'sign_in',
  actor_kind: 'account',
  actor_id: dev.id,
  actor_name: 'dev@example.com',
  account_id: null,
  app_id: null,
  store_ids: [],
  detail: null,
  address: '192.0.2.1',
  request_id: 'r',
  ...over,
})

const open = async (query = ''): Promise<Answer> => {
  const answer = await operator.open(`/operator/audit${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer
}
const words = async (query = '') => wordsOf((await open(query)).text)

/** How many entries a page has. */
const rows = ({ text }: Answer) => (text.match(/role="rowheader"/g) ?? []).length

describe('the page', () => {
  test('who, what, when, from where, newest first, with links to what it is about', async () => {
    await server.storage.audit.append(
      entry('zz1', {
        action: 'access_allowed',
        app_id: app.client_id,
        store_ids: [1001n, 2n ** 63n - 1n],
      }),
    )
    const { text } = await open()
    const page = wordsOf(text)
    assert.match(
      page,
      /1 Nov 2026, 12:00:00 UTC dev@example\.com allowed the app Ledger <b> to read the stores 1001 and 9223372036854775807 192\.0\.2\.1 request r/,
    )
    assert.ok(page.indexOf('allowed the app') < page.indexOf('created the operator account'))
    assert.match(page, /test on the command line created the developer account dev@example\.com –/)
    for (const href of [
      `/operator/accounts/${dev.id}`,
      `/operator/apps/${app.client_id}`,
      '/operator/stores/9223372036854775807',
    ]) {
      assert.ok(text.includes(`href="${href}"`), href)
    }
  })

  test('is narrowed by action, text, account and app, which its ways and forms keep', async () => {
    assert.match(await words('?action=account_created'), /created the operator account/)
    assert.doesNotMatch(await words('?action=account_created'), /signed in/)
    assert.match(await words('?q=LEDGER'), /created the app Ledger/)
    assert.doesNotMatch(await words('?q=LEDGER'), /signed in/)
    assert.match(await words('?q=9223372036854775807'), /allowed the app Ledger/)
    const ofApp = await open(`?app=${app.client_id}&action=app_created`)
    assert.match(wordsOf(ofApp.text), /Only entries about Ledger <b> \. Show all/)
    assert.equal(rows(ofApp), 1)
    assert.match(ofApp.text, new RegExp(`type="hidden" name="app" value="${app.client_id}"`))
    assert.match(ofApp.text, /<option value="app_created" selected>/)
    assert.match(
      ofApp.text,
      new RegExp(`/operator/audit/export\\?app(=|&#61;)${app.client_id}(&|&#38;)action(=|&#61;)app_created`),
    )
    const ofAccount = await words(`?account=${dev.id}`)
    assert.match(ofAccount, /Only entries about dev@example\.com/)
    assert.match(ofAccount, /created the developer account/)
    assert.doesNotMatch(ofAccount, /created the operator account/)
    const nothing = await words('?q=nothing-like-it')
    assert.match(nothing, /No entries found No entry in the log matches the search\. Show all/)
  })

  test('fifty to a page, older ones behind it, and back to the newest', async () => {
    for (let i = 0; i < 120; i++) {
      await server.storage.audit.append(entry(`zzz${String(i).padStart(3, '0')}`, { detail: `paged ${i}` }))
    }
    const first = await open('?q=paged')
    assert.equal(rows(first), 50)
    assert.equal(linked(first.text, 'prev'), undefined)
    const next = linked(first.text, 'next') ?? ''
    assert.equal(next, '/operator/audit?q=paged&before=zzz070')
    const second = await operator.open(next)
    assert.equal(rows(second), 50)
    assert.equal(linked(second.text, 'prev'), '/operator/audit?q=paged')
    const third = await operator.open(linked(second.text, 'next') ?? '')
    assert.equal(rows(third), 20)
    assert.equal(linked(third.text, 'next'), undefined)
    const all = await open()
    assert.equal(rows(all), 50)
    assert.equal(linked(all.text, 'next'), '/operator/audit?before=zzz070')
  })
})

describe('a range of days', () => {
  const days = ['2026-09-01', '2026-09-02', '2026-09-03']
  const details = ({ text }: Answer) =>
    [...text.matchAll(/datetime="2026-09-0(\d)T(00|23)/g)].map(
      ([, day, hour]) => `${Number(day) - 1} ${hour === '00' ? 'first' : 'last'}`,
    )

  before(async () => {
    for (const [i, day] of days.entries()) {
      for (const [name, time] of [
        ['first', '00:00:00'],
        ['last', '23:59:59'],
      ]) {
        const at = Date.parse(`${day}T${time}Z`) / 1000
        await server.storage.audit.append({ ...entry(orderedId(at), { detail: `ranged ${i} ${name}` }), at })
      }
    }
  })

  test('has the entries of both days and those between, with and without a search', async () => {
    for (const search of ['', '&q=ranged', '&action=sign_in']) {
      assert.deepEqual(
        details(await open(`?from=2026-09-02&to=2026-09-02${search}`)),
        ['1 last', '1 first'],
        search,
      )
      const two = ['1 last', '1 first', '0 last', '0 first']
      assert.deepEqual(details(await open(`?to=2026-09-02${search}`)).slice(0, 4), two, search)
      assert.deepEqual(
        details(await open(`?from=2026-09-03&to=2026-09-30${search}`)),
        ['2 last', '2 first'],
        search,
      )
    }
    const text = (await open('?from=2026-09-02&to=2026-09-02')).text
    assert.match(text, /name="from" value="2026-09-02"/)
    assert.equal(linked(text, 'next'), undefined, 'nothing older is in the range')
    assert.equal((await open('?from=2026-02-30&to=x')).status, 200, 'what is no day is ignored')
  })

  test('is kept by the pages and by the export, as JSON lines or as CSV', async () => {
    const query = '?from=2026-09-01&to=2026-09-03&q=ranged'
    const lines = (await operator.open(`/operator/audit/export${query}`)).text.trimEnd().split('\n')
    const csv = await operator.open(`/operator/audit/export${query}&format=csv`)
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="audit-2026-11-01.csv"')
    const [head = '', ...rows] = csv.text.trimEnd().split('\r\n')
    const records = lines.map(line => JSON.parse(line))
    assert.equal(head, Object.keys(records[0]).join(','))
    assert.equal(rows.length, 6)
    assert.deepEqual(
      rows.map(row => row.split(',')[0]),
      records.map(({ id }) => `"${id}"`),
    )
    const evil = {
      ...entry(orderedId(Date.UTC(2026, 7, 1) / 1000), { detail: '=1+1' }),
      at: Date.UTC(2026, 7, 1) / 1000,
    }
    await server.storage.audit.append(evil)
    const { text } = await operator.open('/operator/audit/export?from=2026-08-01&to=2026-08-01&format=csv')
    assert.match(text, /"'=1\+1"/)
  })
})

describe('the export', () => {
  const exported = async (query = '') => {
    const answer = await operator.open(`/operator/audit/export${query}`)
    assert.equal(answer.status, 200)
    const { headers, text } = answer
    return { headers, text, lines: text.trimEnd().split('\n') }
  }

  test('is a file of JSON lines, newest first, each entry whole, int64 exact', async () => {
    const { headers, lines, text } = await exported()
    assert.equal(headers.get('content-type'), 'application/x-ndjson')
    assert.equal(headers.get('content-disposition'), 'attachment; filename="audit-2026-11-01.ndjson"')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.ok(text.endsWith('\n'))
    const entries = lines.map(line => JSON.parse(line))
    const whole = lines.find(line => line.includes('"zz1"')) ?? ''
    assert.match(whole, /"store_ids":\[1001,9223372036854775807\]/)
    assert.deepEqual(
      { ...JSON.parse(whole), store_ids: [] },
      {
        id: 'zz1',
        at: '2026-11-01 12:00:00',
        action: 'access_allowed',
        actor_kind: 'account',
        actor_id: dev.id,
        actor_name: 'dev@example.com',
        account_id: null,
        account_email: null,
        app_id: app.client_id,
        app_name: 'Ledger <b>',
        store_ids: [],
        detail: null,
        address: '192.0.2.1',
        request_id: 'r',
      },
    )
    const ids = entries.map(({ id }) => id)
    assert.deepEqual(ids, [...ids].sort().toReversed())
    assert.ok(ids.length > 120)
  })

  for (const format of ['ndjson', 'csv']) {
    test(`reads each piece after admission control has admitted it (${format})`, async t => {
      const controllers = t.mock.method(server.app.admission, 'controllerOf')
      await open()
      const controller = controllers.mock.calls[0]?.result ?? assert.fail('no controller')
      const resume = t.mock.method(controller, 'resume')
      const page = t.mock.method(server.storage.audit, 'list')
      await exported(`?format=${format}`)
      assert.ok(page.mock.callCount() > 0)
      // The last one finds the end.
      assert.equal(resume.mock.callCount(), page.mock.callCount() + 1)
    })
  }

  test('has what the page is narrowed to, and nothing when there is nothing', async () => {
    const narrowed = await exported('?q=paged%2011&action=sign_in')
    assert.equal(narrowed.lines.length, 11)
    assert.equal((await exported(`?account=${dev.id}&action=account_created`)).lines.length, 1)
    assert.equal((await exported('?q=nothing-like-it')).text, '')
  })
})
