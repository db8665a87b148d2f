import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, grant, redirectUri, refusedAt } from '../helpers/authorize.ts'
import { answerOf } from '../helpers/server.ts'
import {
  activate,
  items,
  lists,
  orders,
  refusal,
  sales,
  startWorld,
  stores,
  type World,
  withQuery,
} from '../helpers/world.ts'

let world: World

before(async () => {
  world = await startWorld()
  await world.server.newAccount('owner@example.com')
})

after(() => world.close())

const all = ['integration.store', 'integration.order', 'integration.inventory']

const endpoints = [
  ...lists.map(({ path, query }) => ({ method: 'GET', path: withQuery(path, query), scope: scopeOf(path) })),
  { method: 'POST', path: activate(1001), scope: 'integration.store' },
]

function scopeOf(path: string): string {
  const needed: Record<string, string> = {
    [stores]: 'integration.store',
    [orders]: 'integration.order',
    [items]: 'integration.inventory',
    [sales]: 'integration.inventory',
  }
  return needed[path] ?? ''
}

const ask = async (method: string, path: string, token: string) =>
  answerOf(await fetch(world.server.base + path, { method, headers: { authorization: `Bearer ${token}` } }))

const request = (client: { client_id: string; client_secret: string }, scope?: string) =>
  world.server.post('/auth/v2/token', {
    grant_type: 'client_credentials',
    client_id: client.client_id,
    client_secret: client.client_secret,
    ...(scope !== undefined && { scope }),
  })

describe('spec 5.1: what each scope gives access to', () => {
  for (const scope of all) {
    for (const { method, path, scope: needed } of endpoints) {
      const [shown] = path.split('?')
      const outcome = scope === needed ? '200' : '403'
      test(`${scope}: ${method} ${shown} is ${outcome}`, async () => {
        const answer = await ask(method, path, await world.server.token(world.reader, scope))
        if (scope === needed) assert.equal(answer.status, 200, answer.text)
        else {
          assert.deepEqual(refusal(answer), [403, 'scope_insufficient'])
          assert.ok(answer.headers.get('www-authenticate')?.includes(`scope="${needed}"`))
        }
      })
    }
  }

  test('several scopes may be authorized on one access token', async () => {
    const token = await world.server.token(world.reader, all.join(' '))
    for (const { method, path } of endpoints) assert.equal((await ask(method, path, token)).status, 200)
  })

  test('none of them may write records', async () => {
    const answer = await ask('POST', '/platform/v1/records', await world.token())
    assert.deepEqual(refusal(answer), [403, 'scope_insufficient'])
  })
})

describe('spec 5.1: grant types allowed', () => {
  for (const scope of all) {
    test(`${scope} with client_credentials`, async () => {
      const { status, json } = await request(world.reader, scope)
      assert.deepEqual([status, json.scope], [200, scope])
    })
  }

  test('integration.store with authorization_code', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    assert.equal((await grant(world.server, app)).scope, 'integration.store')
  })

  for (const scope of [
    'integration.order',
    'integration.inventory',
    all.join(' '),
    'integration.order integration.store',
  ]) {
    test(`design: ${scope} with authorization_code is invalid_scope`, async () => {
      const app = await world.server.newApp({ redirect_uris: [redirectUri] })
      const { searchParams, origin, pathname } = await refusedAt(
        world.server,
        authorizePath(app, { scope, state: 'abc' }),
      )
      assert.equal(origin + pathname, redirectUri)
      assert.equal(searchParams.get('error'), 'invalid_scope')
      assert.equal(searchParams.get('state'), 'abc')
      assert.equal(searchParams.get('code'), null)
    })
  }

  test('design: an app without integration.store cannot use authorization_code', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri], scope: 'integration.order' })
    const { searchParams } = await refusedAt(world.server, authorizePath(app))
    assert.equal(searchParams.get('error'), 'invalid_scope')
  })

  for (const scope of [
    'integration.orders',
    'INTEGRATION.STORE',
    'openid',
    'platform.write',
    'integration.store nonsense',
    '*',
  ]) {
    test(`a scope that the app is not registered for is invalid_scope: ${scope}`, async () => {
      const { status, json, headers } = await request(world.reader, scope)
      assert.deepEqual([status, json.error], [400, 'invalid_scope'])
      assert.equal(headers.get('cache-control'), 'no-store')
    })
  }

  test('an app gets no scope beyond those it is registered for', async () => {
    const app = await world.server.newApp({ scope: 'integration.order' })
    assert.deepEqual((await request(app, 'integration.inventory')).json.error, 'invalid_scope')
    assert.deepEqual((await request(app, 'integration.order integration.store')).json.error, 'invalid_scope')
  })
})

describe('design: scope left out at the token endpoint', () => {
  const registered = [
    { scope: null, granted: all.join(' ') },
    { scope: 'integration.order', granted: 'integration.order' },
    { scope: 'integration.inventory integration.store', granted: 'integration.inventory integration.store' },
    { scope: 'platform.write', granted: 'platform.write' },
  ]
  for (const { scope, granted } of registered) {
    for (const sent of [undefined, '']) {
      test(`registered ${scope ?? 'by default'}, ${sent === undefined ? 'left out' : 'empty'}: ${granted}`, async () => {
        const { status, json } = await request(await world.server.newApp({ scope }), sent)
        assert.equal(status, 200)
        assert.deepEqual(json.scope.split(' ').toSorted(), granted.split(' ').toSorted())
      })
    }
  }
})
