import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { grant, redirectUri } from '../helpers/authorize.ts'
import { sampleStore } from '../helpers/orders.ts'
import { answerOf } from '../helpers/server.ts'
import {
  activate,
  day,
  items,
  orders,
  refusal,
  sales,
  startWorld,
  type World,
  withQuery,
} from '../helpers/world.ts'
import { byTest } from '../helpers/by.ts'

/**
 * design: token (401), scope (403), parameters (422), store exists (404), store allowed (403), in this order. Each
 * request breaks several of them at once; the first one answers.
 */

type Broken = 'token' | 'scope' | 'parameter' | 'missing store' | 'forbidden store'

let world: World
const tokens: Record<string, string> = {}

before(async () => {
  world = await startWorld()
  const { server } = world
  await server.newAccount('owner@example.com')
  await world.push(sampleStore({ id: 1002, name: 'Mill Lane' }))

  for (const scope of ['integration.store', 'integration.order', 'integration.inventory']) {
    tokens[`expired ${scope}`] = await server.token(world.reader, scope)
  }
  server.clock.advance(172_800)

  const code = await server.newApp({ redirect_uris: [redirectUri] })
  tokens['revoked integration.store'] = (await grant(server, code)).access_token
  await server.apps.revoke(code.client_id, null, byTest)

  for (const scope of ['integration.order', 'integration.inventory', 'integration.store']) {
    tokens[scope] = await server.token(world.reader, scope)
    tokens[`revoked one ${scope}`] = await server.token(world.reader, scope)
    await server.post('/auth/v2/revoke', { ...world.reader, token: tokens[`revoked one ${scope}`] ?? '' })
  }
})

after(() => world.close())

const endpoints = [
  { path: orders, scope: 'integration.order', query: { ...day } },
  { path: items, scope: 'integration.inventory', query: { store_id: 1001 } },
  { path: sales, scope: 'integration.inventory', query: { ...day } },
  { path: 'activate', scope: 'integration.store', query: { store_id: 1001 } },
] as const

const ask = async (path: string, query: Record<string, string | number>, token: string | undefined) => {
  const target = path === 'activate' ? activate(query['store_id'] ?? '') : withQuery(path, query)
  const response = await fetch(world.server.base + target, {
    method: path === 'activate' ? 'POST' : 'GET',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  return refusal(await answerOf(response))
}

for (const { path, scope, query } of endpoints) {
  const other = scope === 'integration.order' ? 'integration.inventory' : 'integration.order'
  const storeOf: Partial<Record<Broken, string>> = { 'missing store': '4711', 'forbidden store': '1002' }

  /** The query with these things wrong. In the activation the store is the only parameter. */
  function queryWith(broken: Broken[]): Record<string, string | number> {
    const store = broken.map(name => storeOf[name]).find(id => id !== undefined) ?? '1001'
    if (!broken.includes('parameter')) return { ...query, store_id: store }
    return path === 'activate' ? { store_id: 'abc' } : { ...query, store_id: store, index: 'x' }
  }

  describe(`design: the order of the checks of ${path}`, () => {
    const dead: [name: string, token: () => string | undefined, code: string][] = [
      ['no token', () => undefined, 'token_missing'],
      ['a token that is none', () => 'a.b.c', 'token_invalid'],
      ['an expired token', () => tokens[`expired ${scope}`], 'token_expired'],
      ['an expired token of another scope', () => tokens[`expired ${other}`], 'token_expired'],
      ['a revoked token', () => tokens[`revoked one ${scope}`], 'token_revoked'],
      ['a revoked token of another scope', () => tokens[`revoked one ${other}`], 'token_revoked'],
      ['a token of a revoked authorization', () => tokens['revoked integration.store'], 'token_revoked'],
    ]
    const wrongs: Broken[][] = [
      [],
      ['parameter'],
      ['missing store'],
      ['forbidden store'],
      ['parameter', 'missing store'],
    ]
    for (const [name, token, code] of dead) {
      for (const wrong of wrongs) {
        test(`${name}${wrong.length > 0 ? ` with a ${wrong.join(' and a ')}` : ''} is 401 ${code}`, async () => {
          assert.deepEqual(await ask(path, queryWith(wrong), token()), [401, code])
        })
      }
    }

    for (const wrong of wrongs) {
      test(`a token without the scope${wrong.length > 0 ? ` with a ${wrong.join(' and a ')}` : ''} is 403 scope_insufficient`, async () => {
        assert.deepEqual(await ask(path, queryWith(wrong), tokens[other]), [403, 'scope_insufficient'])
      })
    }

    for (const wrong of [
      ['parameter'],
      ['parameter', 'missing store'],
      ['parameter', 'forbidden store'],
    ] as Broken[][]) {
      test(`a ${wrong.join(' and a ')} that are bad are 422`, async () => {
        assert.deepEqual(await ask(path, queryWith(wrong), tokens[scope]), [422, 'parameter_invalid'])
      })
    }

    test('a store that does not exist is 404, not 403', async () => {
      assert.deepEqual(await ask(path, queryWith(['missing store']), tokens[scope]), [404, 'store_not_found'])
    })

    test('a store that is not allowed is 403, the last of all', async () => {
      assert.deepEqual(await ask(path, queryWith(['forbidden store']), tokens[scope]), [
        403,
        'store_forbidden',
      ])
    })
  })
}
