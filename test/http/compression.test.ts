import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { codingFor } from '../../src/http/reply/content-coding.ts'
import { sampleOrder } from '../helpers/orders.ts'
import { at, day, orders, startWorld, stores, withQuery, type World } from '../helpers/world.ts'
import { clientCredentials } from '../helpers/token.ts'

/** RFC 9110 §12.5.3: lists are compressed as the client asks, and say so. */

const decoders = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  identity: (bytes: Buffer) => bytes,
}

suite('the coding that is chosen', () => {
  for (const [accepted, expected] of [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.8', 'gzip'],
    ['br;q=0.5, gzip;q=0.50', 'br'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br', 'br'],
    ['*', 'gzip'],
    ['*;q=0.5', 'gzip'],
    ['*;q=0.001', 'gzip'],
    ['*;q=0', null],
    ['zstd;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=0, *', null],
    ['gzip;q=0, identity;q=0, *', null],
    ['identity;q=0, *', 'gzip'],
    ['identity, *', 'gzip'],
    ['identity, *;q=0.5', null],
    ['br, *', 'br'],
    ['br;q=0.5, *', 'gzip'],
    ['zstd, *;q=0.5', 'zstd'],
    ['deflate, *;q=0.1', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0', null],
    ['deflate, compress', null],
    ['gzip;q=2', null],
    ['gzip;q=x, br', 'br'],
    ['gzip ; q=0.3 , br ; q = 0.2', 'gzip'],
    [',,;', null],
  ] as const) {
    test(`for ${JSON.stringify(accepted)} is ${expected}`, () => {
      assert.equal(codingFor(accepted), expected)
    })
  }

  test('thousands of invented headers do not keep a common one from being parsed only once', t => {
    for (let i = 0; i < 5000; i++) codingFor(`invented;q=0.${i}`)
    const parsed = t.mock.method(String.prototype, 'toLowerCase').mock
    for (let i = 0; i < 3; i++) assert.equal(codingFor('gzip, br;q=0.123'), 'gzip')
    assert.equal(parsed.callCount(), 1)
    for (let i = 0; i < 3; i++) assert.equal(codingFor('identity;q=0.9'), null)
    assert.equal(parsed.callCount(), 2)
  })
})

let world: World
const whole = { ...day, count: 100 }
const pieces = { ...day, count: 2000 }

before(async () => {
  world = await startWorld()
  const count = 600
  await world.push(
    ...Array.from({ length: count }, (_, n) =>
      sampleOrder({ store_id: 1001, id: `O-${n}`, order_number: `é${n}`, created_at: at(n * 10) }),
    ),
  )
})

after(() => world.close())

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

async function get(path: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(world.server.base)
  const authorization = `Bearer ${await world.token()}`
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers: { authorization, ...headers } }, response => {
      buffer(response).then(
        body => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      )
    })
      .on('error', reject)
      .end()
  })
}

for (const [name, query] of Object.entries({ 'a whole page': whole, 'a page in pieces': pieces })) {
  suite(name, () => {
    for (const coding of ['gzip', 'br', 'zstd', 'identity'] as const) {
      test(`as ${coding} is the same page`, async () => {
        const path = withQuery(orders, query)
        const { status, headers, body } = await get(path, { 'accept-encoding': coding })
        assert.equal(status, 200)
        assert.equal(headers['content-encoding'], coding === 'identity' ? undefined : coding)
        assert.match(headers.vary ?? '', /\baccept-encoding\b/)
        assert.match(headers.vary ?? '', /\bauthorization\b/)
        if (headers['content-length'] !== undefined)
          assert.equal(Number(headers['content-length']), body.length)
        const text = decoders[coding](body).toString()
        const expected = await world.list(orders, query)
        assert.equal(expected.length, Math.min(600, query.count))
        assert.deepEqual(JSON.parse(text).data, expected)
        if (coding !== 'identity')
          assert.ok(body.length < text.length / 4, `${body.length} of ${text.length}`)
      })
    }
  })
}

for (const [name, query] of Object.entries({ whole, pieces })) {
  test(`Accept-Encoding: * is answered with gzip (${name})`, async () => {
    const { headers, body } = await get(withQuery(orders, query), { 'accept-encoding': '*' })
    assert.equal(headers['content-encoding'], 'gzip')
    assert.deepEqual(JSON.parse(gunzipSync(body).toString()).data, await world.list(orders, query))
  })
}

test('one ETag is valid for every coding, and a 304 has the Vary header', async () => {
  const path = withQuery(orders, whole)
  const { headers } = await get(path, { 'accept-encoding': 'gzip' })
  const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' })
  assert.deepEqual([again.status, again.body.length, again.headers['content-encoding']], [304, 0, undefined])
  assert.match(again.headers.vary ?? '', /\baccept-encoding\b/)
  assert.deepEqual([again.headers['content-length'], again.headers['content-type']], [undefined, undefined])
})

test('HEAD has the headers of GET, without a body', async () => {
  for (const query of [whole, pieces]) {
    const { status, headers, body } = await get(
      withQuery(orders, query),
      { 'accept-encoding': 'gzip' },
      'HEAD',
    )
    assert.deepEqual([status, headers['content-encoding'], body.length], [200, 'gzip', 0])
    assert.equal(headers['content-length'], undefined)
  }
  const plain = await get(withQuery(orders, whole), {}, 'HEAD')
  const full = await get(withQuery(orders, whole), {})
  assert.deepEqual([plain.headers['content-length'], plain.body.length], [full.headers['content-length'], 0])
})

test('small responses, errors and tokens are not compressed', async () => {
  const headers = { 'accept-encoding': 'gzip, br, zstd' }
  const small = await get(stores, headers)
  assert.deepEqual([small.status, small.headers['content-encoding']], [200, undefined])
  const error = await get(withQuery(orders, { ...day, index: `1${'0'.repeat(2000)}` }), headers)
  assert.deepEqual([error.status, error.headers['content-encoding']], [422, undefined])
  const { client_id, client_secret } = world.reader
  const token = await fetch(`${world.server.base}/auth/v2/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(clientCredentials({ client_id, client_secret })),
  })
  assert.deepEqual([token.status, token.headers.get('content-encoding')], [200, null])
})
