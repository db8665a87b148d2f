import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { connect as connectTcp, createServer as createTcpServer, type Server } from 'node:net'
import { after, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { type Storage, StorageUnavailable } from '../../src/storage/port/index.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { createServer } from '../helpers/postgres-server.ts'
import { entries, linked, order, store, write } from './suite/fixtures.ts'
import { migrate, openStorage } from '../helpers/storage.ts'

const nothing = { stores: [], items: [], orders: [], rollups: [] }

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Ends all sessions of the database but the asking one. */
const endSessions = (url: string) =>
  administer(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )

suite('a session that ends', () => {
  test('between requests goes unnoticed', async () => {
    const url = await freshDatabase()
    const storage = await openStorage(url)
    await storage.ping()
    await endSessions(url)
    await sleep(300)
    await storage.ping()
    await storage.close()
  })

  test('under a request is StorageUnavailable; the next one is served', async () => {
    const url = await freshDatabase()
    const storage = await openStorage(url)
    await write(storage, { stores: [store(1n)] })
    const lock = await lockStore(url, 1n)
    const waiting = assert.rejects(write(storage, { orders: [order(1n, 'a')] }), StorageUnavailable)
    await sleep(100)
    await endSessions(url)
    await waiting
    await lock.release()
    await write(storage, { orders: [order(1n, 'b')] })
    const [row] = await administer(url, 'select count(*) from orders')
    assert.equal(row?.['count'], '1')
    await storage.close()
  })

  test('in the middle of a transaction leaves nothing written', async () => {
    const url = await freshDatabase()
    const storage = await openStorage(url)
    await write(storage, { stores: [store(1n)] })
    await assert.rejects(
      storage.records.write({ store_ids: [1n], items: [], orders: [] }, () => {
        // From outside, while this process stands still between its reads and its writes.
        execFileSync(
          process.execPath,
          [
            '--input-type=module',
            '-e',
            `import postgres from 'postgres'
           const sql = postgres(process.argv[1])
           await sql\`select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()\`
           process.exit()`,
            url,
          ],
          { timeout: 60_000 },
        )
        return { ...nothing, orders: [{ row: order(1n, 'a'), was_created_at: null }] }
      }),
      StorageUnavailable,
    )
    const [row] = await administer(url, 'select count(*) from orders')
    assert.equal(row?.['count'], '0')
    await write(storage, { orders: [order(1n, 'a')] })
    await storage.close()
  })
})

/** A transaction of another program that holds the row of a store. */
async function lockStore(url: string, id: bigint): Promise<{ release(): Promise<void> }> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`begin; select 1 from stores where id = ${id} for update`)
  return { release: () => sql.end({ timeout: 0 }).catch(() => {}) }
}

/** Two writes that wait for the lock of a store. */
async function lockedOut(url: string, storage: Storage) {
  await write(storage, { stores: [store(1n)] })
  const lock = await lockStore(url, 1n)
  const writes = ['a', 'b'].map(id => write(storage, { orders: [order(1n, id)] }))
  // Handled later; until then none of them may count as unhandled.
  for (const each of writes) each.catch(() => {})
  return { lock, writes }
}

test('a statement that takes too long is StorageUnavailable, and its connection goes on', async () => {
  const url = await freshDatabase()
  const storage = await openStorage(url, { database_pool: 2, database_statement_timeout: 3000 })
  const began = performance.now()
  const { lock, writes } = await lockedOut(url, storage)
  for (const each of writes) await assert.rejects(each, StorageUnavailable)
  const took = performance.now() - began
  assert.ok(took >= 2900 && took < 30_000, `${took} ms`)
  await storage.ping()
  await lock.release()
  await write(storage, { orders: [order(1n, 'c')] })
  await storage.close()
})

test('a request that finds no free connection is StorageUnavailable; those that have one go on', async () => {
  const url = await freshDatabase()
  const storage = await openStorage(url, { database_pool: 2, database_connect_timeout: 6000 })
  const { lock, writes } = await lockedOut(url, storage)
  const blocked =
    "select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  while ((await administer(url, blocked))[0]?.['count'] !== '2') await sleep(5)
  await assert.rejects(storage.ping(), /all 2 connections.*busy for 6000 ms/)
  await lock.release()
  await Promise.all(writes)
  await storage.close()
})

test('a burst larger than the pool is served in order of arrival', async () => {
  const storage = await openStorage(await freshDatabase(), { database_pool: 2 })
  await Promise.all(Array.from({ length: 200 }, () => storage.ping()))
  await storage.close()
})

suite('a server', () => {
  const servers: { remove(): Promise<void> }[] = []
  after(async () => {
    for (const server of servers) await server.remove()
  })

  test('that stops is StorageUnavailable at once; after its return the storage works again, with every acknowledged write', async () => {
    const server = await createServer({ fsync: true })
    servers.push(server)
    await server.start()
    const storage = await openStorage(server.url)
    const claim = await linked(storage, [1n])
    const seen = { writing: true, answered: [] as string[], failed: 0 }
    const writer = (async () => {
      for (let i = 0; seen.writing; i++) {
        try {
          await write(storage, { orders: [order(1n, `o${i}`)] })
          seen.answered.push(`o${i}`)
        } catch (error) {
          assert.ok(error instanceof StorageUnavailable, String(error))
          seen.failed += 1
          await sleep(10)
        }
      }
    })()
    await sleep(300)
    await server.stop('quit')
    const took = await timed(() => assert.rejects(storage.ping(), StorageUnavailable))
    assert.ok(took < 10_000, `${took} ms`)
    await sleep(100)
    await server.start()
    const enough = seen.answered.length + 20
    for (let tries = 0; seen.answered.length < enough && tries < 1000; tries++) await sleep(10)
    seen.writing = false
    await writer
    assert.ok(seen.failed > 0)
    assert.ok(seen.answered.length >= enough)
    const query = { store_id: 1n, field: 'created_at', from: 0, to: 9999 } as const
    const { chunk } = await storage.orders.page({ claim, query, offset: 0, limit: 1_000_000 })
    const stored = new Set(entries(chunk).map(entry => (entry as { order: string }).order))
    assert.deepEqual(
      seen.answered.filter(id => !stored.has(id)),
      [],
    )
    await storage.close()
  })

  test('that accepts and then keeps silent is StorageUnavailable in bounded time', async () => {
    const silent = createTcpServer(() => {}).listen(0, '127.0.0.1')
    after(() => silent.close())
    await new Promise(resolve => silent.once('listening', resolve))
    const url = `postgres://u:p@127.0.0.1:${portOf(silent)}/d?sslmode=disable`
    const took = await timed(() =>
      assert.rejects(openStorage(url, { database_connect_timeout: 200 }), StorageUnavailable),
    )
    assert.ok(took < 10_000, `${took} ms`)
  })

  test('that hangs up during the greeting is StorageUnavailable', async () => {
    const rude = createTcpServer(socket => socket.end()).listen(0, '127.0.0.1')
    after(() => rude.close())
    await new Promise(resolve => rude.once('listening', resolve))
    const url = `postgres://u:p@127.0.0.1:${portOf(rude)}/d?sslmode=disable`
    await assert.rejects(openStorage(url, { database_connect_timeout: 200 }), StorageUnavailable)
  })

  test('that takes long to open a connection is not silent, when the connect timeout allows it', async t => {
    const url = await freshDatabase()
    const slow = createTcpServer(async client => {
      client.on('error', () => {})
      // Longer than a silent server has by default.
      await sleep(1800)
      const upstream = connectTcp(Number(new URL(url).port), '127.0.0.1')
      upstream.on('error', () => {})
      client.pipe(upstream).pipe(client)
    }).listen(0, '127.0.0.1')
    t.after(() => slow.close())
    await new Promise(resolve => slow.once('listening', resolve))
    const through = Object.assign(new URL(url), { port: portOf(slow) }).href
    const storage = await openStorage(through, { database_connect_timeout: 30_000 })
    await storage.ping()
    await storage.close()
  })

  test('that can be written again after it was read-only is written over the same storage', async () => {
    const url = await freshDatabase()
    const name = new URL(url).pathname.slice(1)
    await migrate(url)
    await administer(url, `alter database ${name} set default_transaction_read_only = on`)
    const storage = await openStorage(url, { migrated: true, database_pool: 2 })
    const write = () => storage.switches.set('sign_up', true)
    await assert.rejects(write(), /the database is read-only/)
    const elsewhere = Object.assign(new URL(url), { pathname: '/postgres' }).href
    await administer(elsewhere, `alter database ${name} reset default_transaction_read_only`)
    await write()
    await storage.close()
  })

  test('whose encoding cannot hold every text is refused', async () => {
    const url = await freshDatabase()
    const name = new URL(url).pathname.slice(1)
    const latin = Object.assign(new URL(url), { pathname: `/${name}_latin` }).href
    await administer(url, `create database ${name}_latin encoding 'LATIN1' locale 'C' template template0`)
    await assert.rejects(openStorage(latin), /encoding LATIN1.*ENCODING 'UTF8'/)
    await administer(url, `drop database ${name}_latin`)
  })

  test('with synchronous_commit off is refused', async () => {
    const url = await freshDatabase()
    const name = new URL(url).pathname.slice(1)
    await administer(url, `alter database ${name} set synchronous_commit = off`)
    await assert.rejects(openStorage(url), /synchronous_commit is off/)
  })
})

const portOf = (server: Server): number => (server.address() as { port: number }).port
