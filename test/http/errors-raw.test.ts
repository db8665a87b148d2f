import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { parseAnswer as parse, sendBytes } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { assertError, header } from '../helpers/surfaces.ts'

/** Bytes that are no HTTP request, or two at once: refused in the envelope with a request id, and the connection ends. */

let server: TestServer

before(async () => {
  server = await startServer()
})

after(() => server.close())

const post = 'POST /auth/v2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'

const rows: { name: string; bytes: string }[] = [
  { name: 'a line that is no request line', bytes: 'HELLO\r\n\r\n' },
  { name: 'a method that HTTP does not know', bytes: 'FETCH /login HTTP/1.1\r\nHost: a\r\n\r\n' },
  { name: 'a version that does not exist', bytes: 'GET /login HTTP/9.9\r\nHost: a\r\n\r\n' },
  { name: 'the start of a TLS connection', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  { name: 'a space in a header’s name', bytes: 'GET /login HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n' },
  { name: 'a space before a header’s colon', bytes: 'GET /login HTTP/1.1\r\nHost: a\r\nX : z\r\n\r\n' },
  { name: 'NUL in a header', bytes: 'GET /login HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n' },
  { name: 'a folded header', bytes: 'GET /login HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n' },
  {
    name: 'a bare line feed in a chunk’s size',
    bytes: `${post}Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`,
  },
  {
    name: 'both Content-Length and Transfer-Encoding',
    bytes: `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: a\r\n\r\n`,
  },
  { name: 'two lengths', bytes: `${post}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd` },
  { name: 'a negative length', bytes: `${post}Content-Length: -1\r\n\r\n` },
  { name: 'a length that is no number', bytes: `${post}Content-Length: 3x\r\n\r\nabc` },
  { name: 'a chunk size that is no number', bytes: `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n` },
  {
    name: 'chunked, then something else',
    bytes: `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  },
]

// As `curl -X POST`, PHP's streams and Perl's LWP send it.
test('RFC 9112 §6.3: a request with a Content-Type and without a length has no body, and is answered', async () => {
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'application/x-ndjson',
    'text/plain',
    'x',
  ]
  const paths = [
    '/integration/v1/store/1001/activate',
    '/integration/v1/stores',
    '/auth/v2/token',
    '/auth/v2/revoke',
    '/auth/v2/introspect',
    '/auth/v2/authorize',
    '/platform/v1/records',
    '/login',
    '/health/live',
    '/nowhere',
  ]
  for (const version of ['1.1', '1.0']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET']) {
      await Promise.all(
        paths.flatMap(path =>
          types.map(async type => {
            const what = `${method} ${path} HTTP/${version}, ${type}`
            const head = `${method} ${path} HTTP/${version}\r\nHost: a\r\nConnection: close\r\n`
            const { status } = parse(
              (await sendBytes(server.base, `${head}Content-Type: ${type}\r\n\r\n`)) ?? '',
            )
            const plain = parse((await sendBytes(server.base, `${head}\r\n`)) ?? '')
            assert.equal(status, plain.status, `${what}: as without a Content-Type`)
          }),
        ),
      )
    }
  }
})

/** Beyond the limit, and beyond what the parser reads. */
const sizes = [20_000, 60_000, 1_000_000]

describe('a request that is too large is 431, in the surface’s own format, and the connection ends', () => {
  for (const [surface, path] of [
    ['envelope', '/integration/v1/stores'],
    ['oauth', '/auth/v2/jwks'],
    ['page', '/login'],
    ['page', '/auth/v2/authorize'],
  ] as const) {
    for (const size of sizes) {
      // Behind its limit, the parser gives the server no more than the last bytes: an API's errors are in the envelope then.
      const format = surface === 'oauth' && size > 52 * 1024 ? 'envelope' : surface
      const long = 'a'.repeat(size)
      const ask = async (bytes: string) => parse((await sendBytes(server.base, bytes)) ?? '')
      test(`${path}, headers of ${size} bytes`, async () => {
        const answer = await ask(`GET ${path} HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`)
        assertError(format, answer, 431)
        assert.equal(answer.headers.get('connection'), 'close')
      })
      if (path.endsWith('authorize')) continue
      test(`${path}, a URL of ${size} bytes`, async () => {
        const answer = await ask(`GET ${path}?x=${long} HTTP/1.1\r\nHost: a\r\n\r\n`)
        assertError(format, answer, 431)
      })
    }
  }

  for (const size of sizes) {
    test(`the URL of an authorization request, ${size} bytes: a page with 414`, async () => {
      const bytes = `GET /auth/v2/authorize?state=${'a'.repeat(size)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
      const answer = parse((await sendBytes(server.base, bytes)) ?? '')
      assertError('page', answer, 414)
      assert.match(answer.text, /The app’s request is too long/)
      assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    })
  }

  test('16 KiB of headers are fine', async () => {
    const bytes = `GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${'a'.repeat(16_300)}\r\n\r\n`
    assert.equal(parse((await sendBytes(server.base, bytes)) ?? '').status, 200)
  })
})

describe('malformed HTTP is 400, and the connection ends', () => {
  for (const { name, bytes } of rows) {
    test(name, async () => {
      server.log.length = 0
      const received = await sendBytes(server.base, Buffer.from(bytes, 'latin1'))
      assert.ok(received, 'the server answers and closes')
      assert.equal(received.match(/^HTTP\/1\.1 /gm)?.length, 1, 'one answer, whatever else was in the bytes')
      const answer = parse(received)
      assertError('envelope', answer, 400, 'request_malformed')
      assert.equal(answer.headers.get('connection'), 'close')
      assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)))
      const lines = () =>
        server.events().filter(({ msg }) => msg === 'request' || msg === 'malformed HTTP request')
      while (lines().length === 0) await new Promise(setImmediate)
      const [{ request_id, address, status: logged, aborted }, ...others] = lines()
      assert.deepEqual([request_id, address, others], [header(answer, 'x-request-id'), '127.0.0.1', []])
      // Of one whose body was broken off the line is its own.
      assert.equal(logged, aborted ? 499 : 400)
    })
  }

  test('a connection that times out without a byte is not logged; one that began a request is', async () => {
    for (const [bytes, lines] of [
      ['', 0],
      ['G', 1],
    ] as const) {
      server.log.length = 0
      const connected = once(server.app.server, 'connection')
      const received = sendBytes(server.base, bytes)
      const [socket] = await connected
      while (socket.bytesRead < bytes.length) await new Promise(setImmediate)
      // As Node says it when the time for the headers is over.
      const over = Object.assign(new Error('over'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.app.server.emit('clientError', over, socket)
      assert.equal(parse((await received) ?? '').status, 408)
      assert.equal(server.log.length, lines, bytes)
    }
  })

  test('counted by their status', async () => {
    const { text } = await server.get('/metrics')
    const counted = [...text.matchAll(/^tillgate_http_requests_unreadable_total\{status="(\d+)"\} [1-9]/gm)]
    assert.deepEqual(counted.map(([, status]) => status).toSorted(), ['400', '408', '414', '431'])
  })
})

describe('RFC 9110 §9.3.2: the answer to a HEAD that cannot be read has no body', () => {
  const head = 'HEAD /login HTTP/1.1\r\nHost: a\r\n'
  for (const [name, bytes, bodies] of [
    ['by itself', `${head}X Y: z\r\n\r\n`, [false]],
    ['its headers are too large', `${head}X: ${'a'.repeat(60_000)}\r\n\r\n`, [false]],
    ['its body breaks off', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, [false]],
    ['behind a GET', `GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n${head}X Y: z\r\n\r\n`, [true, false]],
    ['a GET behind it has one', `${head}\r\nGET / HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n`, [false, true]],
  ] as const) {
    test(name, async () => {
      const received = (await sendBytes(server.base, Buffer.from(bytes, 'latin1'))) ?? ''
      const answers = received.split(/(?=HTTP\/1\.1 )/).map(each => parse(each))
      assert.equal(Math.floor((answers.at(-1)?.status ?? 0) / 100), 4)
      assert.deepEqual(
        answers.map(({ text }) => text !== ''),
        bodies,
      )
    })
  }
})

describe('a request that others may read differently: 400 in the surface’s own format, and the connection ends', () => {
  for (const [name, header] of [
    ['no Host (RFC 9112 §3.2)', ''],
    ['two Hosts', 'Host: a\r\nhOST: b\r\n'],
    ['an empty Host', 'Host:\r\n'],
    ['a Host with a space', 'Host: a b\r\n'],
    ['a Host with a user and a path', 'Host: a@b/c\r\n'],
    ['a coding beside chunked (RFC 9112 §6.1)', 'Host: a\r\nTransfer-Encoding: gzip, chunked\r\n'],
    ['a coding instead of chunked', 'Host: a\r\nTransfer-Encoding: gzip\r\n'],
    ['the coding of old', 'Host: a\r\nTransfer-Encoding: identity, chunked\r\n'],
  ] as const) {
    test(`${name}`, async () => {
      const ask = async (path: string) =>
        parse((await sendBytes(server.base, `GET ${path} HTTP/1.1\r\n${header}\r\n`)) ?? '')
      assertError('envelope', await ask('/integration/v1/stores'), 400, 'request_malformed')
      assertError('oauth', await ask('/auth/v2/jwks'), 400, 'invalid_request')
      assertError('page', await ask('/login'), 400)
    })
  }

  for (const host of ['a', 'pos.example.com:8080', '[::1]:80', '127.0.0.1:', 'a_b.example']) {
    test(`fine: Host ${host}`, async () => {
      const bytes = `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      assert.equal(parse((await sendBytes(server.base, bytes)) ?? '').status, 200)
    })
  }

  test('HTTP/1.0 needs no Host', async () => {
    const answer = parse((await sendBytes(server.base, 'GET /health/live HTTP/1.0\r\n\r\n')) ?? '')
    assert.equal(answer.status, 200)
  })
})

test('RFC 9110 §10.1.1: an unknown expectation is passed over, and the answer has its request id', async () => {
  const bytes = 'GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n'
  const answer = parse((await sendBytes(server.base, bytes)) ?? '')
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('x-request-id') ?? '', /^[\w-]{22}$/)
})

test('the server still answers after all of it', async () => {
  assert.equal((await server.get('/health/ready')).status, 200)
})
