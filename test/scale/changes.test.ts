import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { catchUp, type Copy, emptyCopy } from '../../torture/changes/follower.ts'
import { checkCopy, storedRows } from '../../torture/changes/stored.ts'
import { byTest } from '../helpers/by.ts'
import { createCli } from '../helpers/cli.ts'
import { startNode } from '../helpers/nodes.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { freePort } from '../helpers/ports.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { type Pair, startPair } from '../helpers/replicated.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { openStorage } from '../helpers/storage.ts'

const store_id = 1001
const issuer = 'http://127.0.0.1:3000'

/** A server on a database, and what a client needs; a second one on a copy knows the same apps. */
async function serve(database: string, known?: { client_id: string; client_secret: string }) {
  const server = await startServer({ database, issuer })
  const client = known ?? (await server.newApp())
  if (!known) {
    await server.push(sampleStore())
    await server.apps.authorize(client.client_id, [BigInt(store_id)], byTest)
  }
  const bearer = await server.token(client)
  return { server, client, source: { base: server.base, bearer, store_id } }
}

const push = ({ server }: { server: TestServer }, ...ids: string[]): Promise<void> =>
  server.push(...ids.map(id => sampleOrder({ id })), sampleItem({ name: ids.join() }))

const check = async (copy: Copy, database: string): Promise<void> =>
  checkCopy(copy, await storedRows(database, store_id))

test('restore: a client that saw later changes gets 409 once, and loses what the backup lacks', async t => {
  const cli = await createCli({ database: 'tillgate.db' })
  t.after(cli.remove)
  const database = join(cli.folder, 'tillgate.db')
  const first = await serve(database)
  const copy = emptyCopy()
  await push(first, 'kept', 'changed')
  await catchUp(first.source, copy)
  assert.equal((await cli.run(['backup', 'backup.db'])).code, 0)
  await push(first, 'lost', 'changed')
  await catchUp(first.source, copy)
  await first.server.close()
  assert.equal((await cli.run(['restore', 'backup.db'])).code, 0)
  const second = await serve(database, first.client)
  t.after(() => second.server.close())
  // Beyond what the client has seen: the number alone would hide what was lost.
  second.server.clock.advance(3600)
  await push(second, 'new')
  assert.equal(await catchUp(second.source, copy), 1)
  assert.equal(await catchUp(second.source, copy), 0)
  assert.ok(!copy.rows.has('order lost') && copy.rows.has('order kept') && copy.rows.has('order new'))
  await check(copy, database)
})

test('copy: feed and numbers travel to the other engine and back, and a client goes on', async t => {
  const cli = await createCli({ database: 'tillgate.db' })
  t.after(cli.remove)
  const databases = [join(cli.folder, 'tillgate.db'), await freshDatabase(), join(cli.folder, 'back.db')]
  const copy = emptyCopy()
  let client: Awaited<ReturnType<typeof serve>>['client'] | undefined
  for (const [i, database] of databases.entries()) {
    const from = databases[i - 1]
    if (from) assert.equal((await cli.run(['copy', '--from', from, '--to', database])).code, 0)
    const here = await serve(database, client)
    client = here.client
    try {
      await push(here, `read${i}`, 'changed')
      assert.equal(await catchUp(here.source, copy), 0)
      await check(copy, database)
      await push(here, `unread${i}`)
    } finally {
      await here.server.close()
    }
  }
  assert.ok(copy.rows.has('order unread1') && copy.rows.has('order read0'))
})

describe('a PostgreSQL with a standby', () => {
  let pair: Pair
  before(async () => {
    pair = await startPair()
  })
  after(() => pair.remove())

  test('changes come from the primary while the replica lags or is stopped', async t => {
    const { url, read_database } = await pair.database()
    const cli = await createCli({ database: url })
    t.after(cli.remove)
    const writer = await serve(url)
    t.after(() => writer.server.close())
    const env = {
      PORT: String(await freePort()),
      TILLGATE_BASE_URL: issuer,
      TILLGATE_READ_DATABASE: read_database,
      TILLGATE_READ_STALENESS: '60',
    }
    const node = await startNode(cli, env)
    t.after(() => node.process.kill('SIGKILL'))
    const { client_id, client_secret } = writer.client
    const token = await node.post('/auth/v2/token', {
      grant_type: 'client_credentials',
      client_id,
      client_secret,
    })
    const source = { base: node.base, bearer: token.json.access_token as string, store_id }
    const copy = emptyCopy()
    const follow = async (...ids: string[]) => {
      await push(writer, ...ids)
      assert.equal(await catchUp(source, copy), 0)
      await check(copy, url)
    }
    await follow('a')
    await pair.pause()
    await follow('b', 'a')
    await pair.standby.stop('quit')
    await follow('c')
    await pair.standby.start()
    await follow('d')
    await node.stop()
  })

  test('a promoted standby that lost commits: 409 once, and the right set; lossless keeps the feed', async () => {
    const [lossy, lossless, unread] = [await pair.database(), await pair.database(), await pair.database()]
    const clients: Awaited<ReturnType<typeof serve>>[] = []
    for (const { url } of [lossy, lossless, unread]) clients.push(await serve(url))
    const copies = [emptyCopy(), emptyCopy(), emptyCopy()]
    const step = async (i: number, ...ids: string[]) => {
      await push(clients[i]!, ...ids)
      return catchUp(clients[i]!.source, copies[i]!)
    }
    await step(0, 'kept', 'changed')
    await step(1, 'kept')
    await pair.caughtUp()
    await pair.standby.stop()
    await step(0, 'lost', 'changed')
    // The first request of all for changes, too, is lost.
    await step(2, 'lost')
    for (const { server } of clients) await server.close()
    await pair.primary.stop('quit')
    await pair.standby.start()
    await administer(pair.standby.url, 'select pg_promote(true)')

    const promoted = await serve(lossy.read_database, clients[0]!.client)
    promoted.server.clock.advance(3600)
    await push(promoted, 'new')
    assert.equal(await catchUp(promoted.source, copies[0]!), 1)
    assert.equal(await catchUp(promoted.source, copies[0]!), 0)
    assert.ok(!copies[0]!.rows.has('order lost') && copies[0]!.rows.has('order kept'))
    await check(copies[0]!, lossy.read_database)
    await promoted.server.close()

    const again = await serve(unread.read_database, clients[2]!.client)
    again.server.clock.advance(3600)
    await push(again, 'new')
    assert.equal(await catchUp(again.source, copies[2]!), 1)
    await check(copies[2]!, unread.read_database)
    await again.server.close()

    const storage = await openStorage(lossless.read_database, { failover: 'lossless' })
    try {
      const claim = { app_id: clients[1]!.client.client_id, authorization_id: null, jti: 'any' }
      const query = { store_id: BigInt(store_id), after: 0, kinds: ['order', 'item'] as const }
      const { history } = await storage.changes.page({ claim, query, limit: 1, count: 1 })
      assert.equal(copies[1]!.feed, `${history}-oi`)
    } finally {
      await storage.close()
    }
  })

  test('a replica that has become a server of its own changes nothing', async () => {
    await pair.primary.start()
    const url = new URL('replicated_2', pair.primary.url).href
    const read_database = new URL('replicated_2', pair.standby.url).href
    const storage = await openStorage(url, { read_database })
    const alone = await openStorage(url)
    try {
      const [app] = await storage.apps.list()
      const claim = { app_id: app?.id ?? '', authorization_id: null, jti: 'any' }
      const query = { store_id: BigInt(store_id), after: 0, kinds: ['order', 'item'] as const }
      const pages = [storage, alone].map(each => each.changes.page({ claim, query, limit: 100, count: 100 }))
      const [through, direct] = await Promise.all(pages)
      assert.deepEqual(through, direct)
    } finally {
      await storage.close()
      await alone.close()
    }
  })
})
