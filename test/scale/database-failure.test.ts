import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { createCli } from '../helpers/cli.ts'
import { ordersOf, type Seen, timed, work } from '../helpers/load.ts'
import { type Node, startNode } from '../helpers/nodes.ts'
import { createServer, type PostgresServer } from '../helpers/postgres-server.ts'
import { startWire } from '../helpers/replicated.ts'
import { checkBatches, type Client, pushBatch, tokenOf } from '../helpers/tills.ts'
import { clientCredentials } from '../helpers/token.ts'

/** A database that goes away, or stands still, under a real server with tills and readers at work. */

const restarts = 2
const acknowledgements = 12
/** Between the requests of a client: what matters is when the database goes away, not how busy the server is. */
const pause = 50
/**
 * The longest that anyone may wait for an answer while the database is gone: nine seconds by the default settings, and
 * more because other tests keep the machine busy. `test/alone` measures it.
 */
const bound = 30_000

const cli = await createCli()
let database: PostgresServer
let tills: Client
let reader: Client

before(async () => {
  // As in production: a commit that was answered is on the disk.
  database = await createServer({ fsync: true })
  await database.start()
  const env = { TILLGATE_DATABASE: database.url }
  tills = await cli.json<Client>(['app', 'create', '--name', 'Tills', '--scope', 'platform.write'], { env })
  reader = await cli.json<Client>(['app', 'create', '--name', 'Reader'], { env })
  const stores = [1, 2].map(id => `{"kind":"store","id":${id},"name":"S","timezone":"UTC"}`).join('\n')
  await cli.run(['import', '-'], { env, stdin: stores })
  await cli.run(['app', 'authorize', reader.client_id, '--store', '1', '--store', '2'], { env })
})

after(async () => {
  await database.remove()
  cli.remove()
})

async function isUnavailable(node: Node, bearer: string): Promise<void> {
  const page = await node.get(ordersOf(1), bearer)
  assert.equal(page.status, 503, JSON.stringify(node.log().at(-1)))
  assert.ok(Number(page.headers.get('retry-after')) > 0)
  assert.deepEqual([page.json.status.ack, page.json.status.errors.code], [503, 'service_unavailable'])
  const ready = await node.get('/health/ready')
  assert.deepEqual([ready.status, ready.json.status.errors.code], [503, 'service_unavailable'])
  assert.equal((await node.get('/health/live')).status, 200)
  const { client_id, client_secret } = reader
  const token = await node.post('/auth/v2/token', clientCredentials({ client_id, client_secret }))
  assert.deepEqual([token.status, token.json.error], [503, 'temporarily_unavailable'])
  assert.ok(Number(token.headers.get('retry-after')) > 0)
  const authorize = await node.get(`/auth/v2/authorize?response_type=code&client_id=${client_id}`)
  assert.equal(authorize.status, 503)
  const login = await fetch(`${node.base}/login`, { headers: { cookie: 'tillgate_session=x' } })
  assert.deepEqual([login.status, login.headers.get('content-type')], [503, 'text/html; charset=utf-8'])
}

for (const how of ['fast', 'quit'] as const) {
  const what = how === 'fast' ? 'is restarted' : 'crashes and comes back'
  test(`the database ${what} under load: 503 in bounded time, then service again; nothing acknowledged is lost`, {
    timeout: 300_000,
  }, async t => {
    const node = await startNode(cli, {
      TILLGATE_DATABASE: database.url,
      TILLGATE_LOG_LEVEL: 'error',
      TILLGATE_DATABASE_STATEMENT_TIMEOUT: '5000',
      TILLGATE_DATABASE_CONNECT_TIMEOUT: '3000',
    })
    t.after(() => node.process.kill('SIGKILL'))
    const bearer = { tills: await tokenOf(node.base, tills), reader: await tokenOf(node.base, reader) }
    const load = work(node, { bearer, reader, run: how, pause })
    const back: number[] = []
    for (let i = 0; i < restarts; i++) {
      await load.progress(acknowledgements)
      await database.stop(how)
      await isUnavailable(node, bearer.reader)
      await database.start()
      const began = performance.now()
      await load.progress(acknowledgements)
      back.push(performance.now() - began)
      assert.equal((await node.get('/health/ready')).status, 200)
    }
    await load.end()
    const unexpected = load.seen.filter(({ status }) => status !== 200 && status !== 503)
    const faults = node.log().filter(line => !JSON.stringify(line).includes('StorageUnavailable'))
    assert.deepEqual({ unexpected, faults }, { unexpected: [], faults: [] })
    const refused = load.seen.filter(({ status }) => status === 503)
    for (const { retry, what } of refused) assert.ok(Number(retry) > 0, `${what}: 503 without Retry-After`)
    assert.deepEqual([...new Set(refused.map(({ what }) => what))].sort(), [
      'items',
      'orders',
      'push',
      'token',
    ])
    const longest = Math.max(...load.seen.map(({ ms }) => ms))
    assert.ok(longest < bound, `${longest} ms`)
    t.diagnostic(
      `longest answer ${Math.round(longest)} ms; ${acknowledgements} batches ${Math.round(Math.max(...back))} ms after the database’s return`,
    )
    await checkBatches(node.base, bearer.reader, load.acknowledged)
    assert.deepEqual(await node.stop(), [0, null])
  })
}

test('a store that is locked by another session: its batches are 503 in bounded time, other stores go on', async t => {
  const node = await startNode(cli, {
    TILLGATE_DATABASE: database.url,
    TILLGATE_LOG_LEVEL: 'silent',
    TILLGATE_DATABASE_POOL: '4',
    TILLGATE_DATABASE_STATEMENT_TIMEOUT: '3000',
    TILLGATE_DATABASE_CONNECT_TIMEOUT: '3000',
  })
  t.after(() => node.process.kill('SIGKILL'))
  const bearer = { tills: await tokenOf(node.base, tills), reader: await tokenOf(node.base, reader) }
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  t.after(() => sql.end({ timeout: 0 }))
  await sql.unsafe('begin; select 1 from stores where id = 1 for update')
  // Three times as many as there are connections.
  const stuck = Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      timed('push', () => pushBatch(node.base, bearer.tills, `stuck.${i}`)),
    ),
  )
  const waiting = { still: true }
  void stuck.finally(() => {
    waiting.still = false
  })
  const others: Seen[] = []
  for (let i = 0; waiting.still; i++) {
    others.push(await timed('push', () => pushBatch(node.base, bearer.tills, `free.${i}`, 2)))
    const get = (path: string) =>
      fetch(node.base + path, { headers: { authorization: `Bearer ${bearer.reader}` } })
    others.push(await timed('orders', () => get(ordersOf(2))))
    others.push(await timed('orders of the locked store', () => get(ordersOf(1))))
  }
  assert.ok(others.length >= 3)
  assert.deepEqual(
    others.filter(({ status }) => status !== 200),
    [],
  )
  const longest = Math.max(...(await stuck).map(({ ms }) => ms))
  assert.ok(longest < bound, `${longest} ms`)
  for (const { status, retry } of await stuck) assert.deepEqual([status, Number(retry) > 0], [503, true])
  await sql.end({ timeout: 0 })
  while ((await pushBatch(node.base, bearer.tills, 'after')).status !== 200) await sleep(10)
  t.diagnostic(
    `longest answer for the locked store ${Math.round(longest)} ms; ${others.length} answers for others`,
  )
  assert.deepEqual(await node.stop(), [0, null])
})

test('a database that falls silent: 503 in bounded time, then service again', async t => {
  const wire = await startWire(database.url)
  t.after(wire.close)
  const node = await startNode(cli, {
    TILLGATE_DATABASE: wire.url,
    TILLGATE_LOG_LEVEL: 'silent',
    TILLGATE_DATABASE_STATEMENT_TIMEOUT: '3000',
    TILLGATE_DATABASE_CONNECT_TIMEOUT: '3000',
  })
  t.after(() => node.process.kill('SIGKILL'))
  const bearer = { tills: await tokenOf(node.base, tills), reader: await tokenOf(node.base, reader) }
  const load = work(node, { bearer, reader, run: 'silent', pause })
  await load.progress(1)
  wire.silent = true
  const [page, ready] = await Promise.all([node.get(ordersOf(1), bearer.reader), node.get('/health/ready')])
  assert.deepEqual([page.status, ready.status], [503, 503])
  wire.silent = false
  await load.progress(acknowledgements)
  await load.end()
  assert.deepEqual(
    load.seen.filter(({ status }) => status !== 200 && status !== 503),
    [],
  )
  const longest = Math.max(...load.seen.map(({ ms }) => ms))
  assert.ok(longest < bound, `${longest} ms`)
  t.diagnostic(`longest answer ${Math.round(longest)} ms`)
  await checkBatches(node.base, bearer.reader, load.acknowledged)
  assert.deepEqual(await node.stop(), [0, null])
})
