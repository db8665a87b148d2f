import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { maxPending } from '../../src/domain/apps/pending-consents.ts'
import { catalogue } from '../../src/errors.ts'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { authorizePath, type Client, decide, redeem, redirectUri, refresh } from '../helpers/authorize.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { parseAnswer, send, sendBytes } from '../helpers/raw.ts'
import { routesOf } from '../helpers/routes.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { header } from '../helpers/surfaces.ts'
import { byTest } from '../helpers/by.ts'

/** The API reference tells the truth: it is valid, it leaves no endpoint out, and live answers are as it says. */

let server: TestServer
let limited: TestServer
let document: any

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
ajv.addVocabulary(['example', 'discriminator', 'xml', 'externalDocs'])
for (const format of ['int8', 'int32', 'int64', 'decimal', 'datetime', 'text', 'seq', 'day', 'list', 'name'])
  ajv.addFormat(format, true)

before(async () => {
  server = await startServer({ config: { trust_proxy: '127.0.0.1' } })
  limited = await startServer({ config: { rate_limit: 1 } })
  document = (await server.get('/openapi.json')).json
})

after(async () => {
  mock.restoreAll()
  await limited.close()
  await server.close()
})

interface Operation {
  method: string
  path: string
  operation: any
}

const operations = (): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]) => ({ method, path, operation })),
  )

describe('OpenAPI 3.1', () => {
  test('says so, with a title, a version and the public address', async () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.ok(document.info.title && document.info.version && document.info.description)
    assert.deepEqual(document.servers, [{ url: server.base }])
    const { headers } = await server.get('/openapi.json')
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
  })

  test('has only the fields that the specification knows', () => {
    const root = [
      'openapi',
      'info',
      'servers',
      'paths',
      'components',
      'security',
      'tags',
      'externalDocs',
      'jsonSchemaDialect',
      'webhooks',
    ]
    for (const field of Object.keys(document)) assert.ok(root.includes(field), field)
    const allowed = [
      'tags',
      'summary',
      'description',
      'externalDocs',
      'operationId',
      'parameters',
      'requestBody',
      'responses',
      'callbacks',
      'deprecated',
      'security',
      'servers',
    ]
    for (const { operation, path } of operations()) {
      for (const field of Object.keys(operation)) assert.ok(allowed.includes(field), `${path} ${field}`)
    }
  })

  test('every operation has an id of its own, a summary, a known tag and answers with descriptions', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    const tags = document.tags.map(({ name }: { name: string }) => name)
    for (const { path, operation } of operations()) {
      assert.match(operation.operationId, /^\w+$/)
      assert.ok(operation.summary, path)
      assert.ok(operation.tags.length === 1 && tags.includes(operation.tags[0]), path)
      assert.ok(Object.keys(operation.responses).length > 0)
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        assert.match(status, /^[1-5]\d\d$/)
        assert.equal(typeof response.description, 'string')
      }
    }
  })

  test('every parameter has a name, a place, a description and a schema; those of the path are all there and required', () => {
    for (const { path, operation } of operations()) {
      const parameters: any[] = operation.parameters ?? []
      for (const { name, in: place, description, schema } of parameters) {
        assert.ok(['path', 'query', 'header'].includes(place) && schema && name, `${path} ${name}`)
        assert.ok(description || schema.enum, `${path} ${name} has no description`)
      }
      const template = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const inPath = parameters.filter(({ in: place }) => place === 'path')
      assert.deepEqual(
        inPath.map(({ name }) => name),
        template,
      )
      assert.ok(inPath.every(({ required }) => required === true))
    }
  })

  test('every schema is a JSON Schema, every reference leads somewhere, and every example fits its schema', () => {
    let examples = 0
    const visit = (node: any, where: string): void => {
      if (typeof node !== 'object' || node === null) return
      if (typeof node.$ref === 'string') {
        const target = node.$ref.replace(/^#\//, '').split('/')
        assert.ok(
          target.reduce((at: any, step: string) => at?.[step], document),
          `${where}: ${node.$ref}`,
        )
      }
      if (node.schema && !where.endsWith('examples')) {
        const validate = ajv.compile(node.schema)
        for (const example of node.schema.examples ?? []) {
          examples++
          assert.ok(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`)
        }
      }
      if (Array.isArray(node.examples) && (node.type || node.anyOf)) {
        const validate = ajv.compile(node)
        for (const example of node.examples) {
          examples++
          assert.ok(
            validate(example),
            `${where}: ${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`,
          )
        }
      }
      for (const [name, value] of Object.entries(node)) visit(value, `${where}/${name}`)
    }
    visit(document.paths, 'paths')
    visit(document.components, 'components')
    assert.ok(examples > 5)
  })

  test('every operation names its scope, of a scheme that is described; the authorization endpoints need none', () => {
    const { oauth2 } = document.components.securitySchemes
    assert.equal(oauth2.type, 'oauth2')
    for (const { path, operation } of operations()) {
      if (path.startsWith('/auth') || path.startsWith('/.well-known')) {
        assert.deepEqual(operation.security, [], path)
        continue
      }
      const [scope] = operation.security[0].oauth2
      assert.ok(Object.hasOwn(oauth2.flows.clientCredentials.scopes, scope), path)
    }
    assert.deepEqual(Object.keys(oauth2.flows.authorizationCode.scopes), ['integration.store'])
  })
})

describe('nothing is left out', () => {
  /** What is for people, for operators or a step inside a flow, and so is no part of the API. */
  const apart = [
    /^\/docs/,
    /^\/assets\//,
    /^\/favicon\.ico$/,
    /^\/health\//,
    /^\/(account|developer|operator)(\/|$)/,
    '/',
    '/metrics',
    '/openapi.json',
    /^\/(login|password|profile)(\/|$)/,
    '/logout',
    '/signup',
    '/consent/:uid',
    '/auth/v2/authorize/:uid',
  ]

  test('every route of the server is an operation, or is named here as no part of the API', () => {
    const listed = new Set(Object.keys(document.paths).map(path => path.replace(/\{(\w+)\}/g, ':$1')))
    const missing = routesOf(server.app).filter(
      url =>
        !listed.has(url) &&
        !apart.some(pattern => (typeof pattern === 'string' ? pattern === url : pattern.test(url))),
    )
    assert.deepEqual(missing, [])
    for (const url of listed) assert.ok(routesOf(server.app).includes(url), `${url} is not served`)
  })

  const parameters: Record<string, string[]> = {
    listStores: ['index', 'count', 'cursor'],
    activateStore: ['store_id!'],
    listOrders: ['store_id!', 'start_date!', 'end_date!', 'date_field', 'index', 'count', 'cursor'],
    listItems: ['store_id!', 'updated_after', 'index', 'count', 'cursor'],
    listChanges: ['store_id!', 'after', 'feed', 'count', 'kinds', 'wait'],
    listHeads: ['index', 'count', 'cursor', 'wait'],
    listReceipts: ['store_id!', 'start_day!', 'end_day!'],
    listSales: ['store_id!', 'start_date!', 'end_date!', 'index', 'count'],
    authorize: [
      'response_type!',
      'client_id!',
      'scope!',
      'redirect_uri!',
      'state',
      'code_challenge',
      'code_challenge_method',
    ],
    jwks: [],
    metadata: [],
    token: ['Idempotency-Key'],
    introspect: [],
    revoke: [],
    writeRecords: [],
  }
  test('every parameter of spec section 4 and 5 is listed; the required ones as required', () => {
    const found = Object.fromEntries(
      operations().map(({ operation }) => [
        operation.operationId,
        (operation.parameters ?? []).map(({ name, required }: any) => (required ? `${name}!` : name)),
      ]),
    )
    assert.deepEqual(found, parameters)
  })

  test('spec 5.3: every form field of the token endpoint is listed', () => {
    const { schema } =
      document.paths['/auth/v2/token'].post.requestBody.content['application/x-www-form-urlencoded']
    assert.deepEqual(Object.keys(schema.properties).sort(), [
      'client_id',
      'client_secret',
      'code',
      'code_verifier',
      'grant_type',
      'redirect_uri',
      'refresh_token',
      'scope',
    ])
  })

  test('every error answer of the API lists the codes that its status can have', () => {
    for (const { path, operation } of operations()) {
      if (!/^\/(integration|platform)/.test(path)) continue
      for (const [status, { description }] of Object.entries<any>(operation.responses)) {
        const codes = Object.entries(catalogue).filter(([, entry]) => String(entry.status) === status)
        for (const [code, { meaning }] of codes)
          assert.ok(description.includes(`\`${code}\`: ${meaning}`), `${path} ${status} ${code}`)
      }
    }
  })
})

describe('live answers are as the document says', () => {
  const seen = new Set<string>()

  /** Fails when the status is not in the document or the body not as its schema. */
  function check(operationId: string, answer: { status: number; headers: any; text: string }): void {
    const found = operations().find(({ operation }) => operation.operationId === operationId)
    assert.ok(found, operationId)
    const response = found.operation.responses[answer.status]
    assert.ok(
      response,
      `${operationId} answered ${answer.status}, which the document does not know: ${answer.text}`,
    )
    seen.add(`${operationId} ${answer.status}`)
    const [type = ''] = (header(answer, 'content-type') ?? '').split(';')
    if (response.content === undefined) {
      if (answer.status !== 303) assert.equal(answer.text, '', operationId)
      return
    }
    const media = response.content[type]
    assert.ok(media, `${operationId} ${answer.status} answered with ${type}`)
    if (type !== 'application/json') return
    const validate = ajv.compile(media.schema)
    assert.ok(
      validate(JSON.parse(answer.text)),
      `${operationId} ${answer.status}: ${ajv.errorsText(validate.errors)} in ${answer.text.slice(0, 500)}`,
    )
  }

  let app: Client
  let token: string
  let writer: string
  const window = 'store_id=1001&start_date=2026-11-01%2000:00:00&end_date=2026-11-01%2023:59:59'
  const lists: Record<string, string> = {
    listStores: '/integration/v1/stores',
    listOrders: `/integration/v1/orders?${window}`,
    listItems: '/integration/v1/inventory/items?store_id=1001',
    listSales: `/integration/v1/inventory/sales?${window}`,
    listChanges: '/integration/v1/changes?store_id=1001',
    listHeads: '/integration/v1/changes/heads',
    listReceipts: '/integration/v1/receipts?store_id=1001&start_day=2026-11-01&end_day=2026-11-01',
  }

  const postRecords = (body: string | Buffer, headers: Record<string, string> = {}, bearer = writer) =>
    send(server.base, {
      method: 'POST',
      path: '/platform/v1/records',
      body,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-ndjson', ...headers },
    })

  const activate = (
    store_id: string,
    options: { bearer?: string; body?: string; base?: string; type?: string } = {},
  ) =>
    send(options.base ?? server.base, {
      method: 'POST',
      path: `/integration/v1/store/${store_id}/activate`,
      headers: {
        authorization: `Bearer ${options.bearer ?? token}`,
        ...(options.type && { 'content-type': options.type }),
      },
      ...(options.body !== undefined && { body: options.body }),
    })

  before(async () => {
    await server.newAccount('owner@example.com')
    await server.push(
      sampleStore(),
      sampleStore({ id: 1002, merchant: null }),
      sampleItem(),
      sampleItem({ id: 13, status: 4, category_name: null }),
      sampleOrder(),
      sampleOrder({ id: 'O-2', status: 11, carts: [], taxes: [], payments: [], promotions: [] }),
    )
    app = await server.newApp({ redirect_uris: [redirectUri] })
    await server.apps.authorize(app.client_id, [1001n], byTest)
    token = await server.token(app)
    writer = await server.token(await server.newApp({ scope: 'platform.write' }))
  })

  for (const [operationId, path] of Object.entries(lists)) {
    test(`${operationId}: 200, 304, 400, 401, 403, 404, 422`, async () => {
      const full = await server.get(path, token)
      check(operationId, full)
      assert.ok(Object.keys(full.json.data).length > 0, 'an empty list proves little')
      const etag = header(full, 'etag')
      check(operationId, await server.get(path, token, { 'if-none-match': etag ?? '*' }))
      check(operationId, await server.get(path))
      check(operationId, await server.get(path, 'garbage'))
      check(operationId, await server.get(path, writer))
      check(operationId, await server.get(`${path}${path.includes('?') ? '&' : '?'}index=-1`, token))
      check(operationId, await server.get(`${path}${path.includes('?') ? '&' : '?'}count=x&index=x`, token))
      if (path.includes('1001')) {
        check(operationId, await server.get(`${path}&store_id=x`, token))
        check(operationId, await server.get(path.replace('1001', '1002'), token))
        check(operationId, await server.get(path.replace('1001', '424242'), token))
      }
      const hostless = `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`
      check(operationId, parseAnswer((await sendBytes(server.base, hostless)) ?? ''))
    })
  }

  test('listOrders: its own limits', async () => {
    check('listOrders', await server.get(`${lists['listOrders']}&count=2001`, token))
    check(
      'listOrders',
      await server.get(`${lists['listOrders']}`.replace('2026-11-01%2023', '2026-11-04%2023'), token),
    )
  })

  test('listChanges: 409', async () => {
    check('listChanges', await server.get(`${lists['listChanges']}&feed=x`, token))
  })

  test('activateStore: 200, 400, 401, 403, 404, 413, 415, 422', async () => {
    check('activateStore', await activate('1001'))
    check('activateStore', await activate('%zz'))
    check('activateStore', await activate('1001', { bearer: 'x' }))
    check('activateStore', await activate('1002'))
    check('activateStore', await activate('424242'))
    check('activateStore', await activate('x'))
    check('activateStore', await activate('1001', { body: 'x'.repeat(70_000) }))
    check('activateStore', await activate('1001', { body: 'x', type: ';' }))
  })

  test('writeRecords: 200, 400, 401, 403, 413, 415, 422', async () => {
    check('writeRecords', await postRecords(JSON.stringify(sampleStore())))
    check('writeRecords', await postRecords('x', { 'content-encoding': 'gzip' }))
    check('writeRecords', await postRecords('x', {}, 'garbage'))
    check('writeRecords', await postRecords('x', {}, token))
    check('writeRecords', await postRecords(`"${'x'.repeat(1_100_000)}"`))
    check('writeRecords', await postRecords('x', { 'content-type': 'text/plain' }))
    check('writeRecords', await postRecords('{"kind":"store"}\nnonsense\n'))
    check('writeRecords', await postRecords('\n'))
  })

  test('authorize: 303, 400, 414 and 429', async t => {
    check('authorize', await server.get(authorizePath(app)))
    check('authorize', await server.get(authorizePath(app, { scope: 'x' })))
    check('authorize', await server.get(authorizePath({ client_id: 'nobody' })))
    check('authorize', await server.get(authorizePath(app, { state: 'a'.repeat(13_000) })))
    t.mock.method(server.storage.throttles, 'count', async () => maxPending)
    check('authorize', await server.get(authorizePath(app), undefined, { 'x-forwarded-for': '192.0.2.1' }))
  })

  const own = () => ({
    grant_type: 'client_credentials',
    client_id: app.client_id,
    client_secret: app.client_secret,
  })

  test('token: 200 for each grant type, 400, 401, 413, 415, 429', async () => {
    const client = { client_id: app.client_id, client_secret: app.client_secret }
    check('token', await server.post('/auth/v2/token', own()))
    const callback = await decide(server, client)
    const first = await redeem(server, client, callback.searchParams.get('code'))
    check('token', first)
    check('token', await refresh(server, client, first.json.refresh_token))
    check('token', await refresh(server, client, first.json.refresh_token))
    check('token', await server.post('/auth/v2/token', { ...own(), scope: 'x' }))
    const body = (fields: object, headers: Record<string, string> = {}) =>
      send(server.base, {
        method: 'POST',
        path: '/auth/v2/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ ...fields }).toString(),
      })
    check('token', await body({ ...own(), scope: 'x'.repeat(60_000) }))
    check('token', await body(own(), { 'content-type': ';' }))
    for (let i = 0; i < 11; i++)
      check('token', await server.post('/auth/v2/token', { ...own(), client_secret: 'wrong' }))
    server.clock.advance(60)
  })

  for (const operationId of ['introspect', 'revoke'] as const) {
    test(`${operationId}: 200, 400, 401, 413, 415, 429`, async () => {
      const path = `/auth/v2/${operationId}`
      const client = { client_id: app.client_id, client_secret: app.client_secret }
      const callback = await decide(server, client)
      const tokens = (await redeem(server, client, callback.searchParams.get('code'))).json
      for (const token of [
        await server.token(app),
        tokens.access_token,
        tokens.refresh_token,
        'unknown',
        'a.b.c',
      ]) {
        check(operationId, await server.post(path, { ...client, token }))
      }
      check(operationId, await server.post(path, client))
      const raw = (body: string, type: string) =>
        send(server.base, { method: 'POST', path, headers: { 'content-type': type }, body })
      check(operationId, await raw(`token=${'x'.repeat(60_000)}`, 'application/x-www-form-urlencoded'))
      check(operationId, await raw('token=x', ';'))
      for (let i = 0; i < 11; i++)
        check(operationId, await server.post(path, { ...client, client_secret: 'wrong', token: 'x' }))
      server.clock.advance(60)
    })
  }

  test('jwks and metadata: 200', async () => {
    check('jwks', await server.get('/auth/v2/jwks'))
    check('metadata', await server.get('/.well-known/oauth-authorization-server'))
  })

  test('429 of every integration endpoint', async () => {
    await limited.push(sampleStore())
    for (const [operationId, path] of Object.entries(lists)) {
      const busy = await limited.token(await limited.newApp())
      await limited.get(path, busy)
      check(operationId, await limited.get(path, busy))
    }
    const busy = await limited.token(await limited.newApp())
    await activate('1001', { bearer: busy, base: limited.base })
    check('activateStore', await activate('1001', { bearer: busy, base: limited.base }))
  })

  for (const error of [new Error('unforeseen'), new StorageUnavailable('busy')]) {
    test(`${error instanceof StorageUnavailable ? 503 : 500} of every endpoint`, async () => {
      const { storage } = server
      const places = [
        [storage.stores, 'page'],
        [storage.stores, 'access'],
        [storage.orders, 'page'],
        [storage.items, 'page'],
        [storage.sales, 'sum'],
        [storage.changes, 'page'],
        [storage.changes, 'heads'],
        [storage.changes, 'receipts'],
        [storage.records, 'write'],
        [storage.clients, 'facts'],
        [storage.keys, 'list'],
      ] as unknown as [Record<string, () => unknown>, string][]
      // Once, so that its signature is known and only the data is missing.
      await server.get('/integration/v1/stores', token)
      await postRecords(JSON.stringify(sampleStore()))
      for (const [object, method] of places) {
        mock.method(object, method, async () => {
          throw error
        })
      }
      for (const [operationId, path] of Object.entries(lists))
        check(operationId, await server.get(path, token))
      check('activateStore', await activate('1001'))
      check('writeRecords', await postRecords(JSON.stringify(sampleStore({ id: 5 }))))
      check('token', await server.post('/auth/v2/token', own()))
      check('introspect', await server.post('/auth/v2/introspect', { ...own(), token: 'x' }))
      check('revoke', await server.post('/auth/v2/revoke', { ...own(), token: 'x' }))
      check('jwks', await server.get('/auth/v2/jwks'))
      check('metadata', await server.get('/.well-known/oauth-authorization-server'))
      mock.restoreAll()
      mock.method(storage.apps, 'find', async () => {
        throw error
      })
      check('authorize', await server.get(authorizePath(app)))
      mock.restoreAll()
    })
  }

  test('every answer that the document promises was seen', () => {
    const promised = operations().flatMap(({ operation }) =>
      Object.keys(operation.responses).map(status => `${operation.operationId} ${status}`),
    )
    assert.deepEqual(
      promised.filter(answer => !seen.has(answer)),
      [],
    )
  })
})

describe('/docs', () => {
  test('is a page that loads nothing from elsewhere', async () => {
    const moved = await server.get('/docs')
    const location = header(moved, 'location') ?? ''
    assert.equal(new URL(location, `${server.base}/docs`).href, `${server.base}/docs/`)
    const page = await server.get('/docs/')
    assert.equal(page.status, 200)
    assert.match(header(page, 'content-type') ?? '', /^text\/html/)
    const loaded = [...page.text.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
    assert.ok(loaded.length > 0)
    for (const url of loaded) {
      const target = new URL(url, `${server.base}/docs/`)
      assert.equal(target.origin, server.base, url)
      assert.equal((await server.get(target.pathname)).status, 200, url)
    }
    assert.doesNotMatch(page.text, /https?:\/\//)
    assert.match(page.text, /"url": "\/openapi\.json"/)
    // Whatever its script would like to load, the browser is told to load from us alone.
    const policy = header(page, 'content-security-policy') ?? ''
    assert.match(policy, /^default-src 'self';/)
    assert.doesNotMatch(policy, /https?:|\*/)
    assert.equal(header(page, 'x-frame-options'), 'DENY')
  })
})
