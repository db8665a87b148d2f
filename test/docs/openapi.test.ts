import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { catalogue } from '../../src/errors.ts'
import { type ApiDocument, codesIn, errorsOf, readDocument } from '../helpers/openapi.ts'
import { routesOf } from '../helpers/routes.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { header } from '../helpers/surfaces.ts'

/** The API reference is valid and leaves no endpoint out; openapi-answers.test.ts compares it with live answers. */

let server: TestServer
let api: ApiDocument

before(async () => {
  server = await startServer()
  api = await readDocument(server)
})

after(() => server.close())

describe('OpenAPI 3.1', () => {
  test('says so, with a title, a version and the public address', async () => {
    assert.match(api.document.openapi, /^3\.1\.\d+$/)
    assert.ok(api.document.info.title && api.document.info.version && api.document.info.description)
    assert.deepEqual(api.document.servers, [{ url: server.base }])
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
    for (const field of Object.keys(api.document)) assert.ok(root.includes(field), field)
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
    for (const { operation, path } of api.operations) {
      for (const field of Object.keys(operation)) assert.ok(allowed.includes(field), `${path} ${field}`)
    }
  })

  test('every operation has an id of its own, a summary, a known tag and answers with descriptions', () => {
    const ids = api.operations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    const tags = api.document.tags.map(({ name }: { name: string }) => name)
    for (const { path, operation } of api.operations) {
      assert.match(operation.operationId, /^\w+$/)
      assert.ok(operation.summary, path)
      assert.ok(operation.tags.length === 1 && tags.includes(operation.tags[0]), path)
      assert.ok(Object.keys(operation.responses).length > 0)
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        assert.match(status, /^([1-5]\d\d|default)$/)
        assert.equal(typeof api.follow(response).description, 'string')
      }
    }
  })

  test('every parameter has a name, a place, a description and a schema; those of the path are all there and required', () => {
    for (const { path, operation } of api.operations) {
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
        assert.ok(api.follow(node), `${where}: ${node.$ref}`)
      }
      if (node.schema && !where.endsWith('examples')) {
        const validate = api.compile(node.schema)
        for (const example of node.schema.examples ?? []) {
          examples++
          assert.ok(validate(example), `${where}: ${errorsOf(validate)}`)
        }
      }
      if (Array.isArray(node.examples) && (node.type || node.anyOf)) {
        const validate = api.compile(node)
        for (const example of node.examples) {
          examples++
          assert.ok(validate(example), `${where}: ${JSON.stringify(example)} ${errorsOf(validate)}`)
        }
      }
      for (const [name, value] of Object.entries(node)) visit(value, `${where}/${name}`)
    }
    visit(api.document.paths, 'paths')
    visit(api.document.components, 'components')
    visit(api.document.webhooks, 'webhooks')
    for (const schema of Object.values(api.document.components.schemas)) api.compile(schema)
    assert.ok(examples > 5)
  })

  test('its schemas have names, and the file is small', async () => {
    for (const name of ['Order', 'CartItem', 'Item', 'Store', 'Sale', 'Change', 'Receipt', 'Error', 'Head'])
      assert.ok(api.document.components.schemas[name], name)
    for (const { post } of Object.values<any>(api.document.webhooks))
      assert.match(post.requestBody.content['application/json'].schema.$ref, /^#\/components\/schemas\//)
    const used = JSON.stringify(api.document)
    for (const [kind, components] of Object.entries<object>(api.document.components)) {
      for (const name of Object.keys(components))
        assert.ok(kind === 'securitySchemes' || used.includes(`"#/components/${kind}/${name}"`), name)
    }
    assert.ok((await server.get('/openapi.json')).text.length < 90_000)
    assert.equal(api.document.info.license.identifier, 'Apache-2.0')
  })

  test('every operation names its scope, of a scheme that is described; the authorization endpoints need none', () => {
    const { oauth2 } = api.document.components.securitySchemes
    assert.equal(oauth2.type, 'oauth2')
    for (const { path, operation } of api.operations) {
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
    '/brand.css',
    '/logos/:app_id',
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
    const listed = new Set(Object.keys(api.document.paths).map(path => path.replace(/\{(\w+)\}/g, ':$1')))
    const missing = routesOf(server.app).filter(
      url =>
        !listed.has(url) &&
        !apart.some(pattern => (typeof pattern === 'string' ? pattern === url : pattern.test(url))),
    )
    assert.deepEqual(missing, [])
    for (const url of listed) assert.ok(routesOf(server.app).includes(url), `${url} is not served`)
  })

  const parameters: Record<string, string[]> = {
    listStores: ['index', 'count', 'cursor', 'If-None-Match'],
    activateStore: ['store_id!'],
    listOrders: [
      'store_id!',
      'start_date!',
      'end_date!',
      'date_field',
      'index',
      'count',
      'cursor',
      'If-None-Match',
    ],
    listItems: ['store_id!', 'updated_after', 'index', 'count', 'cursor', 'If-None-Match'],
    listChanges: ['store_id!', 'after', 'feed', 'count', 'kinds', 'wait'],
    listHeads: ['index', 'count', 'cursor', 'wait', 'If-None-Match'],
    listReceipts: ['store_id!', 'start_day!', 'end_day!'],
    listSales: ['store_id!', 'start_date!', 'end_date!', 'index', 'count', 'If-None-Match'],
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
      api.operations.map(({ operation }) => [
        operation.operationId,
        (operation.parameters ?? []).map(({ name, required }: any) => (required ? `${name}!` : name)),
      ]),
    )
    assert.deepEqual(found, parameters)
  })

  test('spec 5.3: every form field of the token endpoint is listed', () => {
    const { schema } =
      api.document.paths['/auth/v2/token'].post.requestBody.content['application/x-www-form-urlencoded']
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

  test('every error answer of the API lists codes of its status, with their meaning', () => {
    for (const { path, operation } of api.operations) {
      if (!/^\/(integration|platform)/.test(path)) continue
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        const { description } = api.follow(response)
        const codes = codesIn(description)
        assert.equal(codes.length > 0, Number(status) >= 400, `${path} ${status}`)
        for (const code of codes) {
          assert.equal(String(catalogue[code].status), status)
          assert.ok(description.includes(`\`${code}\`: ${catalogue[code].meaning}`), `${path} ${code}`)
        }
      }
    }
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
    // The policy lets the browser load from this server alone, whatever the script asks for.
    const policy = header(page, 'content-security-policy') ?? ''
    assert.match(policy, /^default-src 'self';/)
    assert.doesNotMatch(policy, /https?:|\*/)
    assert.equal(header(page, 'x-frame-options'), 'DENY')
  })

  test('has its language, and a dark background before its script has run', async () => {
    const { text } = await server.get('/docs/')
    assert.match(text, /<html lang="en">\s*<head>\s*<meta name="color-scheme" content="light dark">/)
  })
})
