import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { limits } from '../../src/http/platform/body.ts'
import { startWorld, type World, withQuery } from '../helpers/world.ts'

/** Malformed HTTP where it is hardest: behind, within and instead of other requests. test/http/errors-raw has the rest. */

let world: World

before(async () => {
  world = await startWorld()
})

afterEach(() => mock.restoreAll())

after(() => world.close())

/** A connection, and all that came over it. */
function dial(): { socket: Socket; received: () => string; closed: Promise<unknown> } {
  const { hostname, port } = new URL(world.server.base)
  const socket = connect(Number(port), hostname)
  const pieces: Buffer[] = []
  socket.on('data', piece => pieces.push(piece))
  socket.on('error', () => {})
  const closed = new Promise(resolve => socket.once('close', resolve))
  return { socket, received: () => Buffer.concat(pieces).toString('latin1'), closed }
}

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

/** `/health/ready` waits for the database, which waits for us. */
function slowDatabase(): { reached(): Promise<void>; release(): void } {
  let release = () => {}
  const ping = mock.method(
    world.server.storage,
    'ping',
    () => new Promise<void>(resolve => (release = resolve)),
  )
  return {
    async reached() {
      while (ping.mock.callCount() === 0) await turn()
    },
    release: () => release(),
  }
}

const ready = 'GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n'
const form = 'POST /auth/v2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'

describe('an answer is never mixed with another', () => {
  for (const [name, bytes, status] of [
    ['nonsense', 'HELLO\r\n\r\n', 400],
    ['two lengths', `${form}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    ['headers of 20 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    test(`${name} behind a request that is being worked on: its answer first, then ${status}, then the end`, async () => {
      const database = slowDatabase()
      const { socket, received, closed } = dial()
      socket.write(ready)
      await database.reached()
      socket.write(bytes)
      while (socket.bytesWritten < ready.length + bytes.length) await turn()
      await new Promise(resolve => setTimeout(resolve, 50))
      assert.equal(received(), '', 'nothing has been said yet')
      database.release()
      await closed
      assert.deepEqual(statuses(received()), [200, status])
      assert.match(received(), /\{"status":"ready"\}HTTP\/1\.1 4/)
    })
  }

  test('nonsense behind a large page that is being sent: the whole page first', async () => {
    const items = Array.from({ length: 5000 }, (_, id) => ({
      kind: 'item',
      store_id: 1001,
      id: id + 1,
      status: 2,
      name: 'n'.repeat(200),
      price: 1,
      updated_at: '2026-11-01 10:00:00',
    }))
    await world.push(...items)
    const path = withQuery('/integration/v1/inventory/items', { store_id: 1001, count: 10_000 })
    const { socket, received, closed } = dial()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${await world.token()}\r\n\r\n`)
    await once(socket, 'data')
    socket.write('HELLO\r\n\r\n')
    await closed
    const all = received()
    assert.deepEqual(statuses(all), [200, 400])
    assert.equal(all.match(/"category_name"/g)?.length, 5000)
    assert.match(all, /\]\}\r\n0\r\n\r\nHTTP\/1\.1 400 /)
  })

  test('a body that breaks off into nonsense: one answer, 400, and the end', async () => {
    const { socket, received, closed } = dial()
    socket.write(`${form}Transfer-Encoding: chunked\r\n\r\n5\r\ngrant\r\nzz\r\n`)
    await closed
    assert.deepEqual(statuses(received()), [400])
  })

  test('a body that breaks off into nonsense behind its answer: no second one', async () => {
    const { socket, received, closed } = dial()
    socket.write(
      'POST /platform/v1/records HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n5\r\n{"kin\r\n',
    )
    await once(socket, 'data')
    socket.write('zz\r\n')
    await closed
    assert.deepEqual(statuses(received()), [401])
  })
})

describe('a body beyond the limit is 413, told to a client that is still sending, and the connection ends', () => {
  test('of a token request, by its length', async () => {
    const { socket, received, closed } = dial()
    socket.write(`${form}Content-Length: 50000000\r\n\r\n`)
    const body = Buffer.alloc(5_000_000, 'a')
    socket.write(body)
    await closed
    assert.deepEqual(statuses(received()), [413])
    assert.match(received(), /connection: close/i)
  })

  test('of a token request, in chunks', async () => {
    const { socket, received, closed } = dial()
    socket.write(`${form}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `${(100_000).toString(16)}\r\n${'a'.repeat(100_000)}\r\n`
    for (let i = 0; i < 20; i++) socket.write(chunk)
    await closed
    assert.deepEqual(statuses(received()), [413])
  })

  test('of records', async () => {
    const platform = await world.server.newApp({ scope: 'platform.write' })
    const token = await world.server.token(platform)
    const { socket, received, closed } = dial()
    socket.write(
      `POST /platform/v1/records HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/x-ndjson\r\nContent-Length: ${2 * limits.sent}\r\n\r\n`,
    )
    const blank = Buffer.alloc(1024 * 1024, ' '.repeat(99_999) + '\n')
    for (let i = 0; i < limits.sent / blank.length + 4; i++) socket.write(blank)
    await closed
    assert.deepEqual(statuses(received()), [413])
    assert.match(received(), /body_too_large/)
  })
})

test('the server still answers after all of it', async () => {
  assert.equal((await world.server.get('/health/ready')).status, 200)
})
