import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import postgres from 'postgres'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { createCli } from '../helpers/cli.ts'
import { ordersOf, work } from '../helpers/load.ts'
import { type Node, startNode } from '../helpers/nodes.ts'
import {
  type PgBouncer,
  sessionsOfPgBouncer,
  startPgBouncer,
  withoutPgBouncer,
} from '../helpers/pgbouncer.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { createServer, type PostgresServer } from '../helpers/postgres-server.ts'
import { checkBatches, type Client, pushBatch, tokenOf } from '../helpers/tills.ts'
import { openStorage } from '../helpers/storage.ts'

/** A real PgBouncer in transaction mode between a real server and its database: three sessions for ten connections. */

const acknowledgements = 12

describe('PgBouncer in transaction mode', { skip: withoutPgBouncer() }, async () => {
  const cli = await createCli({ database: 'not used' })
  let database: PostgresServer
  let pooler: PgBouncer
  let node: Node
  let env: Record<string, string>
  let tills: Client
  let reader: Client
  let bearer: { tills: string; reader: string }

  before(async () => {
    // As in production: a commit that was answered is on the disk.
    database = await createServer({ fsync: true })
    await database.start()
    pooler = await startPgBouncer(database.url)
    // Nothing but the address: the server finds out by itself what it has to do without.
    env = { TILLGATE_DATABASE: pooler.url, TILLGATE_LOG_LEVEL: 'error' }
    tills = await cli.json<Client>(['app', 'create', '--name', 'Tills', '--scope', 'platform.write'], { env })
    reader = await cli.json<Client>(['app', 'create', '--name', 'Reader'], { env })
    const stores = [1, 2].map(id => `{"kind":"store","id":${id},"name":"S","timezone":"UTC"}`).join('\n')
    await cli.run(['import', '-'], { env, stdin: stores })
    await cli.run(['app', 'authorize', reader.client_id, '--store', '1', '--store', '2'], { env })
    node = await startNode(cli, env)
    bearer = { tills: await tokenOf(node.base, tills), reader: await tokenOf(node.base, reader) }
  })
  after(async () => {
    node?.process.kill('SIGKILL')
    await pooler?.remove()
    await database?.remove()
    cli.remove()
  })

  test('tokens, batches and pages under load: each is served, none is lost or half written, nothing stays in a session', async () => {
    const load = work(node, { bearer, reader, run: 'load' })
    await load.progress(3 * acknowledgements)
    await load.end()
    assert.deepEqual(
      load.seen.filter(({ status }) => status !== 200),
      [],
    )
    await checkBatches(node.base, bearer.reader, load.acknowledged)
    assert.deepEqual(node.log(), [])
    await hasNothingLeftBehind(pooler)
  })

  test('a revocation holds at the next request, on a second node too', async () => {
    const second = await startNode(cli, { ...env, TILLGATE_BASE_URL: node.base })
    assert.equal((await second.get(ordersOf(2), bearer.reader)).status, 200)
    await cli.run(['app', 'revoke', reader.client_id, '--store', '2'], { env })
    for (const each of [node, second]) {
      const refused = await each.get(ordersOf(2), bearer.reader)
      assert.equal(refused.json.status.errors.code, 'store_forbidden')
      assert.equal((await each.get(ordersOf(1), bearer.reader)).status, 200)
    }
    assert.deepEqual(await second.stop(), [0, null])
  })

  for (const { what, part } of [
    { what: 'PgBouncer dies and comes back', part: () => pooler },
    { what: 'the database crashes and comes back behind it', part: () => database },
  ]) {
    test(`${what} under load: 503, then service again; nothing acknowledged is lost`, {
      timeout: 300_000,
    }, async () => {
      const load = work(node, { bearer, reader, run: what, pause: 50 })
      await load.progress(acknowledgements)
      await part().stop('quit')
      assert.equal((await node.get('/health/ready')).status, 503)
      await part().start()
      await load.progress(acknowledgements)
      await load.end()
      assert.deepEqual(
        load.seen.filter(({ status, retry }) => status !== 200 && !(status === 503 && Number(retry) > 0)),
        [],
      )
      await checkBatches(node.base, bearer.reader, load.acknowledged)
    })
  }

  test('the server restarts: tokens from before are good, and batches are taken', async () => {
    assert.deepEqual(await node.stop(), [0, null])
    node = await startNode(cli, { ...env, TILLGATE_BASE_URL: node.base })
    assert.equal((await node.get(ordersOf(1), bearer.reader)).status, 200)
    assert.equal((await pushBatch(node.base, bearer.tills, 'after')).status, 200)
  })
})

for (const { name, settings } of [
  { name: 'refuses startup parameters, as it does by itself', settings: {} },
  {
    name: 'ignores them by its configuration',
    settings: {
      ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout,jit,plan_cache_mode',
    },
  },
]) {
  test(`PgBouncer ${name}: the time limit holds all the same, and nothing stays in a session`, {
    skip: withoutPgBouncer(),
  }, async t => {
    const url = await freshDatabase()
    const pooler = await startPgBouncer(url, settings)
    t.after(pooler.remove)
    const pooled = await openStorage(pooler.url)
    t.after(() => pooled.close())
    await Promise.all(Array.from({ length: 40 }, () => pooled.throttles.hit('many', 100, 120)))
    const storage = await openStorage(pooler.url, { database_statement_timeout: 3000 })
    t.after(() => storage.close())
    await administer(
      url,
      `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(60); return new; end'`,
    )
    await administer(
      url,
      'create trigger slow before insert on revoked_tokens for each row execute function slow()',
    )
    const began = performance.now()
    await assert.rejects(storage.revokedTokens.add('j', 1), StorageUnavailable)
    assert.ok(performance.now() - began < 30_000)
    await hasNothingLeftBehind(pooler)
  })
}

/** The next client of PgBouncer gets the connection in its original state. */
async function hasNothingLeftBehind({ url }: PgBouncer): Promise<void> {
  const sessions = new Set<unknown>()
  const allBegan = Promise.withResolvers<void>()
  const missed = setTimeout(
    () => allBegan.reject(new Error(`only ${sessions.size} of ${sessionsOfPgBouncer} sessions were seen`)),
    20_000,
  )
  // All of them at a time, so that none that was used is missed.
  await Promise.all(
    Array.from({ length: sessionsOfPgBouncer }, async () => {
      const sql = postgres(url, { max: 1, prepare: false, fetch_types: false, onnotice: () => {} })
      await sql.begin(async transaction => {
        const [own] = await transaction`select pg_backend_pid() as pid`
        sessions.add(own?.['pid'])
        if (sessions.size === sessionsOfPgBouncer) allBegan.resolve()
        await allBegan.promise
        const set = await transaction`select name, setting from pg_settings where source = 'session'`
        assert.deepEqual(
          set.filter(({ name }) => ownSettings.includes(name)),
          [],
        )
        assert.deepEqual([...(await transaction`select name, statement from pg_prepared_statements`)], [])
      })
      await sql.end()
    }),
  ).finally(() => clearTimeout(missed))
}

const ownSettings = ['statement_timeout', 'idle_in_transaction_session_timeout', 'jit', 'plan_cache_mode']
