import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { type RouteOptions } from 'fastify'
import { openapi } from '../../src/http/ops/openapi.ts'

test('an OpenAPI document that could not be made is made by the next request', async t => {
  const app = Fastify()
  t.after(() => app.close())
  openapi(app, 'https://pos.example.com', { sandbox: false })
  let route: RouteOptions | undefined
  app.addHook('onRoute', added => {
    if (added.url === '/x' && added.method === 'GET') route = added
  })
  app.get('/x', { schema: { tags: ['Stores'], summary: 'X' } }, async () => ({}))
  const described = route?.schema ?? assert.fail('no route')
  await app.ready()
  Object.defineProperty(route, 'schema', {
    configurable: true,
    get() {
      throw new Error('not yet')
    },
  })
  assert.equal((await app.inject('/openapi.json')).statusCode, 500)
  Object.defineProperty(route, 'schema', { value: described })
  const { statusCode, body } = await app.inject('/openapi.json')
  assert.equal(statusCode, 200, body)
  assert.match(body, /"\/x":/)
})
