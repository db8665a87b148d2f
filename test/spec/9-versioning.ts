import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authorizePath, redirectUri } from '../helpers/authorize.ts'
import { Browser } from '../helpers/browser.ts'
import { activate, lists, refusal, startWorld, type World, withQuery } from '../helpers/world.ts'
import { clientCredentials } from '../helpers/token.ts'

let world: World

before(async () => {
  world = await startWorld()
})

after(() => world.close())

describe('spec 9: the version is part of the path', () => {
  for (const { path, query } of lists) {
    test(`${path} lives under /integration/v1`, async () => {
      assert.match(path, /^\/integration\/v1\//)
      assert.equal((await world.read(path, query)).status, 200)
    })

    for (const version of ['v2', 'v0', 'V1', 'latest']) {
      test(`${path} does not live under /integration/${version}`, async () => {
        const other = withQuery(path, query).replace('/v1/', `/${version}/`)
        assert.deepEqual(refusal(await world.server.get(other, await world.token())), [
          404,
          'route_not_found',
        ])
      })
    }

    test(`${path} does not live without a version`, async () => {
      const other = withQuery(path, query).replace('/v1/', '/')
      assert.deepEqual(refusal(await world.server.get(other, await world.token())), [404, 'route_not_found'])
    })
  }

  test('the activation lives under /integration/v1 alone', async () => {
    const authorization = `Bearer ${await world.token()}`
    const status = async (path: string) => (await world.server.post(path, {}, { authorization })).status
    assert.equal(await status(activate(1001)), 200)
    assert.equal(await status(activate(1001).replace('v1', 'v2')), 404)
  })

  test('the token endpoint lives under /auth/v2 alone', async () => {
    const fields = clientCredentials(world.reader)
    const status = async (path: string) => (await world.server.post(path, fields)).status
    assert.equal(await status('/auth/v2/token'), 200)
    for (const path of ['/auth/v1/token', '/auth/v3/token', '/auth/token', '/token']) {
      assert.equal(await status(path), 404, path)
    }
  })

  test('the authorization endpoint lives under /auth/v2 alone', async () => {
    const app = await world.server.newApp({ redirect_uris: [redirectUri] })
    const open = async (path: string) => (await new Browser(world.server.base).open(path)).status
    assert.equal(await open(authorizePath(app)), 303)
    for (const version of ['v1', 'v3']) {
      assert.equal(await open(authorizePath(app).replace('v2', version)), 404, version)
    }
  })

  test('a version cannot be asked for by a header', async () => {
    const { status } = await world.server.get('/integration/v1/stores', await world.token(), {
      accept: 'application/json; version=2',
      'api-version': '2',
    })
    assert.equal(status, 200)
  })
})
