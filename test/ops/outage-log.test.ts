import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import { createOutageLog } from '../../src/http/observe/outage-log.ts'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { authorizePath, redirectUri } from '../helpers/authorize.ts'
import { testClock } from '../helpers/clock.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { clientCredentials } from '../helpers/token.ts'

/** An outage of the database writes one line a second with a count, and one at its end. */

describe('the lines of an outage', () => {
  const start = () => {
    const clock = testClock()
    const lines: [level: string, details: Record<string, unknown>, text: string][] = []
    let second = () => {}
    let stopped = 0
    const write = (level: string) => (details: object, text: string) =>
      void lines.push([level, { ...details }, text])
    const outages = createOutageLog({
      clock,
      log: { error: write('error'), warn: write('warn') } as never,
      repeat: write => {
        second = write
        return { stop: () => void (stopped += 1) }
      },
    })
    const after = (seconds: number) => {
      clock.advance(seconds)
      second()
      return lines.splice(0)
    }
    return { outages, lines, after, stopped: () => stopped }
  }
  const err = new StorageUnavailable('away')
  const down = 'the database cannot answer'

  test('the first failure at once, then a count each second, then the end with the total', () => {
    const { outages, lines, after, stopped } = start()
    outages.failed(err, 'r1')
    assert.deepEqual(lines.splice(0), [['error', { err, request_id: 'r1', count: 1, total: 1 }, down]])
    for (let i = 0; i < 1000; i++) outages.failed(err, `a${i}`)
    assert.deepEqual(after(1), [['error', { err, request_id: 'a999', count: 1000, total: 1001 }, down]])
    outages.failed(err, 'r2')
    outages.answered()
    assert.deepEqual(after(1), [['error', { err, request_id: 'r2', count: 1, total: 1002 }, down]])
    assert.equal(stopped(), 0)
    assert.deepEqual(after(1), [['warn', { total: 1002, seconds: 3 }, 'the database answers again']])
    assert.equal(stopped(), 1)
    assert.deepEqual(after(1), [])
  })

  test('without requests it says nothing, and does not end', () => {
    const { outages, lines, after } = start()
    outages.answered()
    outages.failed(err, 'r1')
    lines.length = 0
    assert.deepEqual([after(1), after(60)], [[], []])
    outages.answered()
    assert.equal(after(1)[0]?.[2], 'the database answers again')
    outages.failed(err, 'r2')
    assert.equal(lines[0]?.[1]['total'], 1, 'another outage')
  })

  test('an outage forgets its requests at its end: a client may have left before its request failed', () => {
    const { outages, after } = start()
    outages.failed(err, 'r1')
    outages.failed(err, 'left')
    assert.equal(outages.take('r1'), true)
    outages.answered()
    after(1)
    assert.equal(after(1)[0]?.[2], 'the database answers again')
    assert.equal(outages.take('left'), false)
  })

  test('a failure outside of a request has no request id', () => {
    const { outages, lines } = start()
    outages.failed(err)
    assert.deepEqual(lines, [['error', { err, count: 1, total: 1 }, down]])
  })

  test('a count that was not written yet is written when the server closes', () => {
    const { outages, lines } = start()
    outages.failed(err, 'r1')
    outages.failed(err, 'r2')
    outages.close()
    assert.deepEqual(
      lines.map(([, { total }]) => total),
      [1, 2],
    )
  })
})

describe('a server', () => {
  let server: TestServer
  let ask: (() => Promise<{ status: number }>)[]

  before(async () => {
    server = await startServer()
    const { client_id, client_secret } = await server.newApp({ redirect_uris: [redirectUri] })
    const client = { client_id, client_secret }
    const token = await server.token(client)
    ask = [
      () => server.get('/integration/v1/stores', token),
      () => server.get('/health/ready'),
      () => server.get(authorizePath(client)),
      () => server.get('/login', undefined, { cookie: 'tillgate_session=x' }),
      () => server.post('/auth/v2/token', clientCredentials(client)),
      () => server.post('/auth/v2/revoke', { ...client, token }),
    ]
  })
  after(() => server.close())

  test('counts every 503 of the database, on every surface, in few lines', async () => {
    const away = async () => {
      throw new StorageUnavailable('away')
    }
    const { stores, sessions, apps, clients, revokedTokens } = server.storage
    mock.method(stores, 'page', away)
    mock.method(server.storage, 'ping', away)
    mock.method(sessions, 'findAccount', away)
    mock.method(apps, 'find', away)
    mock.method(clients, 'facts', away)
    mock.method(revokedTokens, 'add', away)
    server.log.length = 0
    const began = performance.now()
    const rounds = 20
    for (let i = 0; i < rounds; i++) {
      for (const answer of await Promise.all(ask.map(each => each()))) assert.equal(answer.status, 503)
    }
    const seconds = Math.ceil((performance.now() - began) / 1000)
    mock.restoreAll()
    const lines = server.events()
    assert.ok(lines.length <= 1 + seconds, server.log.join(''))
    assert.deepEqual(
      [lines[0]?.level, lines[0]?.msg, lines[0]?.err.message],
      [50, 'the database cannot answer', 'away'],
    )
    const isOver = () => server.events().find(({ msg }) => msg === 'the database answers again')
    while (!isOver()) {
      await server.get('/integration/v1/nothing')
      assert.equal((await ask[0]?.())?.status, 200)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    assert.equal(isOver()?.total, rounds * ask.length)
  })
})
