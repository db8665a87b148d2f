import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { fields, form, readFields, text, texts } from '../../src/console/fields.ts'

/** What a page sees of a query and of a form, whatever was sent. */

const app = Fastify()
app.setValidatorCompiler(readFields)
app.get('/page', { schema: { querystring: fields({ q: text, store: texts }) } }, async ({ query }) => query)
app.post('/page', { schema: { body: form({ q: text }) } }, async ({ body }) => body)

const queries: [query: string, seen: object][] = [
  ['', { q: '', store: [] }],
  ['?q=a&store=1', { q: 'a', store: ['1'] }],
  ['?q=a&q=b&store=1&store=2', { q: '', store: ['1', '2'] }],
  ['?q[x]=a&__proto__=b&constructor=c&unknown=d', { q: '', store: [] }],
]
for (const [query, seen] of queries) {
  test(`a page sees ${JSON.stringify(seen)} of the query ${JSON.stringify(query)}`, async () => {
    assert.deepEqual((await app.inject(`/page${query}`)).json(), seen)
  })
}

const bodies: [body: string | undefined, seen: object][] = [
  [undefined, { _csrf: '', q: '' }],
  ['null', { _csrf: '', q: '' }],
  ['"text"', { _csrf: '', q: '' }],
  ['[["q", "a"]]', { _csrf: '', q: '' }],
  ['{"q": {"q": "a"}, "_csrf": 7}', { _csrf: '', q: '' }],
  ['{"q": "a", "_csrf": "b", "more": "c"}', { _csrf: 'b', q: 'a' }],
]
for (const [payload, seen] of bodies) {
  test(`a page sees ${JSON.stringify(seen)} of the body ${payload}`, async () => {
    const headers = { 'content-type': 'application/json' }
    const request = payload === undefined ? {} : { headers, payload }
    const answer = await app.inject({ method: 'POST', url: '/page', ...request })
    assert.deepEqual(answer.json(), seen)
  })
}
