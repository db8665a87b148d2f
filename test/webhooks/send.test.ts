import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createAddressRules } from '../../src/domain/webhooks/address.ts'
import { createSend } from '../../src/domain/webhooks/send.ts'

const send = createSend(createAddressRules('127.0.0.1, ::1'), 400)
const open: Server[] = []
after(() => {
  for (const server of open) server.close()
})

/** A server that does with each connection what the test says. */
async function listen(server: Server): Promise<number> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const raw = async (handle: (socket: Socket) => void): Promise<string> => {
  const port = await listen(
    createTcp(socket => {
      socket.on('error', () => {})
      socket.once('data', () => handle(socket))
    }),
  )
  return `http://127.0.0.1:${port}/hook?key=hidden`
}
const upgrade = (socket: Socket) =>
  socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
/** Interim answers without end. */
const inform = (socket: Socket) => {
  const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20)
  socket.on('close', () => clearInterval(timer))
}
const post = (url: string) => send(url, {}, '{}')

test('any 2xx is a success, also when its body never ends or the connection breaks', async () => {
  for (const handle of [
    (socket: Socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
    (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun'),
    (socket: Socket) => socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nbegun'),
  ]) {
    const { status, problem } = await post(await raw(handle))
    assert.equal(problem, null)
    assert.equal(Math.floor((status ?? 0) / 100), 2)
  }
})

test('a slow body is left after a second, because the status has decided', async () => {
  const trickle = createSend(createAddressRules('127.0.0.1'), 30_000)
  const url = await raw(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun'))
  const { status, answer, duration_ms } = await trickle(url, {}, '{}')
  assert.deepEqual([status, answer], [200, 'begun'])
  assert.ok(duration_ms < 10_000, `${duration_ms} ms`)
})

test('of a large answer little is read and less is kept', async () => {
  let written = 0
  const url = await raw(socket => {
    socket.write('HTTP/1.1 500 Oops\r\ncontent-length: 100000000\r\n\r\n')
    const chunk = Buffer.alloc(100_000, 'x')
    const more = () => {
      while (written < 100_000_000) {
        written += chunk.length
        if (!socket.write(chunk)) return void socket.once('drain', more)
      }
    }
    more()
  })
  const { status, answer, problem } = await post(url)
  assert.deepEqual([status, answer, problem], [500, 'x'.repeat(1000), 'HTTP 500'])
  // More than is read fits the buffers of the sockets.
  assert.ok(written < 50_000_000, String(written))
})

test('redirects are not followed', async () => {
  let followed = false
  const target = await raw(() => {
    followed = true
  })
  const url = await raw(socket => socket.end(`HTTP/1.1 307 Moved\r\nlocation: ${target}\r\n\r\n`))
  const { status, problem } = await post(url)
  assert.deepEqual([status, problem], [307, 'HTTP 307: redirects are not followed'])
  assert.equal(followed, false)
})

test('a receiver that hangs, closes, refuses, upgrades or speaks no HTTP is a failure, without its address', async () => {
  const port = await listen(createTcp())
  const closed = `http://127.0.0.1:${port}/`
  await new Promise(resolve => open.pop()?.close(resolve))
  for (const [url, expected] of [
    [await raw(() => {}), 'no answer within 0.4 s'],
    [await raw(socket => socket.write('HTTP/1.1 200 OK\r\nx-slow: ')), 'no answer within 0.4 s'],
    [await raw(socket => socket.destroy()), 'the connection was closed without an answer'],
    [closed, 'the connection was refused'],
    [await raw(socket => socket.end('220 smtp ready\r\n')), 'no valid HTTP answer'],
    [await raw(upgrade), 'HTTP 101: the protocol is not changed'],
    [await raw(inform), 'more than 10 informational responses (1xx)'],
    [
      await raw(socket => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)),
      'no valid HTTP answer',
    ],
  ] as const) {
    const { status, problem } = await post(url)
    assert.deepEqual([status, problem], [null, expected])
  }
})

test('https to a port without TLS is a failure that says so', async () => {
  const url = await raw(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const { problem } = await post(url.replace('http:', 'https:'))
  assert.equal(problem, 'TLS: the port does not answer with TLS')
})

test('a certificate that nobody trusts is refused', async () => {
  const read = (name: string) => readFileSync(new URL(`../fixtures/localhost.${name}`, import.meta.url))
  let requests = 0
  const server = createHttps({ key: read('key'), cert: read('crt') }, (_request, response) => {
    requests++
    response.end()
  })
  const port = await listen(server)
  const { status, problem } = await post(`https://127.0.0.1:${port}/`)
  assert.equal(status, null)
  assert.match(problem ?? '', /^TLS: /)
  assert.equal(requests, 0)
})

test('the Retry-After of an answer is returned', async () => {
  const url = await raw(socket => socket.end('HTTP/1.1 429 Slow\r\nretry-after: 7\r\n\r\n'))
  assert.equal((await post(url)).retry_after, '7')
})
