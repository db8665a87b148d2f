import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { advice } from '../../src/console/developer/app/error-advice.ts'
import { catalogue, parameterRules, recordRules, redirectErrors, tokenErrors } from '../../src/errors.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** docs/errors.md and src/errors.ts say the same, and the codes they list are those that the server answers with. */

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')

/** The rows of the one table behind a heading, without its head. */
function tableBehind(heading: string): string[][] {
  const [, section = ''] = page.split(`\n${heading}\n`)
  assert.ok(section, `the page has no heading "${heading}"`)
  const own = section.split(/\n#{1,6} /)[0] ?? ''
  return own
    .split('\n')
    .filter(line => line.startsWith('|'))
    .slice(2)
    .map(line =>
      line
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim().replace(/^`([^`]*)`$/, '$1')),
    )
}

const rowsOf = (rules: Record<string, string>) => Object.entries(rules)

describe('docs/errors.md lists, in the order of the code, exactly', () => {
  test('the catalogue: code, status, meaning', () => {
    const rows = Object.entries(catalogue).map(([code, { status, meaning }]) => [
      code,
      String(status),
      meaning,
    ])
    assert.deepEqual(tableBehind('## The integration and platform APIs'), rows)
  })

  const tables: [heading: string, rules: Record<string, string>][] = [
    ['### Details of parameters', parameterRules],
    ['### Details of records', recordRules],
    ['### Token, introspection and revocation endpoints', tokenErrors],
    ['### Authorization endpoint', redirectErrors],
    ['## What to do', advice],
  ]
  for (const [heading, rules] of tables) {
    test(heading.replace(/^#+ /, ''), () => assert.deepEqual(tableBehind(heading), rowsOf(rules)))
  }

  test('and for every code that an app can meet, what to do', () => {
    const codes = [catalogue, tokenErrors, redirectErrors].flatMap(Object.keys)
    assert.deepEqual(
      Object.keys(advice).sort(),
      [...new Set([...codes, 'answer_incomplete', 'invalid_redirect_uri'])].sort(),
    )
    for (const [code, text] of Object.entries(advice)) {
      assert.match(text, /^[A-Z].{15,}\.$/, code)
      assert.equal(text.split('`').length % 2, 1, `${code}: backticks come in pairs`)
    }
  })

  test('and its example is an answer that the server gives', async t => {
    const server = await startServer({ issuer: 'https://pos.example' })
    t.after(() => server.close())
    const [, example = ''] = /```json\n([^]*?)```/.exec(page) ?? []
    const app = await server.newApp()
    const query = 'store_id=1&start_date=2026-11-01%2000:00:00&end_date=2026-11-01%2000:00:00&count=2001'
    const answer = await server.get(`/integration/v1/orders?${query}`, await server.token(app))
    assert.deepEqual(answer.json, JSON.parse(example))
  })
})

describe('every detail code is one that a request can meet', () => {
  let server: TestServer
  let token: string
  let writer: string

  before(async () => {
    server = await startServer()
    token = await server.token(await server.newApp())
    writer = await server.token(await server.newApp({ scope: 'platform.write' }))
    await server.push(sampleStore())
  })

  after(() => server.close())

  const good = { store_id: '1001', start_date: '2026-11-01 00:00:00', end_date: '2026-11-01 01:00:00' }
  const requests: Record<keyof typeof parameterRules, string> = {
    required: 'store_id=1001',
    repeated: `${new URLSearchParams(good)}&store_id=1`,
    not_an_integer: `${new URLSearchParams({ ...good, store_id: '1.0' })}`,
    out_of_range: `${new URLSearchParams({ ...good, index: '-1' })}`,
    not_a_datetime: `${new URLSearchParams({ ...good, end_date: '2026-02-30 00:00:00' })}`,
    not_a_day: 'store_id=1001&start_day=2026-02-30&end_day=2026-03-01',
    not_allowed: `${new URLSearchParams({ ...good, date_field: 'x' })}`,
    cursor_invalid: `${new URLSearchParams({ ...good, cursor: 'x' })}`,
    count_too_large: `${new URLSearchParams({ ...good, count: '2001' })}`,
    window_reversed: `${new URLSearchParams({ ...good, end_date: '2026-10-01 00:00:00' })}`,
    window_too_long: `${new URLSearchParams({ ...good, end_date: '2026-12-01 00:00:00' })}`,
  }
  for (const [code, query] of Object.entries(requests)) {
    test(`of a parameter: ${code}`, async () => {
      const path = code === 'not_a_day' ? 'receipts' : 'orders'
      const { status, json } = await server.get(`/integration/v1/${path}?${query}`, token)
      assert.equal(status, 422)
      assert.ok(
        json.status.errors.details.some((detail: { code: string }) => detail.code === code),
        JSON.stringify(json),
      )
    })
  }

  const line = (record: object) => Buffer.from(JSON.stringify(record))
  const without = (record: Record<string, unknown>, name: string) => {
    const { [name]: _gone, ...rest } = record
    return rest
  }
  const lines: Record<keyof typeof recordRules, Buffer> = {
    not_json: Buffer.from('{"kind":'),
    not_utf8: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    too_long: Buffer.from(`{"kind":"store","name":"${'x'.repeat(1_100_000)}"}`),
    too_deep: Buffer.from(`{"kind":"store","x":${'['.repeat(50)}${']'.repeat(50)}}`),
    kind: line({ kind: 'shop' }),
    required: line(without(sampleItem(), 'price')),
    unknown_field: line({ ...sampleItem(), colour: 'red' }),
    type: line(sampleItem({ price: '450' })),
    range: line(sampleItem({ price: 2 ** 31 })),
    code: line(sampleItem({ status: 3 })),
    length: line(sampleItem({ name: 'x'.repeat(4001) })),
    unicode: line(sampleItem({ name: 'a\0b' })),
    datetime: line(sampleItem({ updated_at: '2026-02-30 00:00:00' })),
    timezone: line(sampleStore({ timezone: 'Mars/Olympus' })),
    email: line(sampleStore({ merchant: 'nobody' })),
    name: line(sampleItem({ name: 'Flat\u200bwhite' })),
    future: line(sampleItem({ updated_at: '2999-01-01 00:00:00' })),
    too_many: line(sampleOrder({ carts: Array.from({ length: 1001 }, (_, i) => sampleCart({ tid: i })) })),
    store_unknown: line(sampleItem({ store_id: 424242 })),
  }
  for (const [code, body] of Object.entries(lines)) {
    test(`of a record: ${code}`, async () => {
      const response = await fetch(`${server.base}/platform/v1/records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/x-ndjson' },
        body: new Uint8Array(body),
      })
      const json = (await response.json()) as any
      assert.equal(response.status, code === 'too_long' ? 413 : 422, JSON.stringify(json).slice(0, 300))
      const codes = json.status.errors.details.map((detail: { code: string }) => detail.code)
      assert.ok(codes.includes(code), codes.join())
    })
  }
})
