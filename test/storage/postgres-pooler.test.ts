import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { openStorage } from '../../src/storage/open.ts'
import { StorageUnavailable } from '../../src/storage/port.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { entries, linked, order, write } from './suite/fixtures.ts'

const refusal = 'SERROR\0VERROR\0C08P01\0Munsupported startup parameter: statement_timeout\0\0'

/** As PgBouncer greets: no TLS, and no startup parameter that it does not keep track of. */
async function startPooler(url: string): Promise<string> {
  const target = new URL(url)
  const server = createServer((client: Socket) => {
    client.once('data', asksForTls => {
      assert.equal(asksForTls.readUInt32BE(4), 80_877_103)
      client.write('N')
      client.once('data', startup => {
        if (startup.includes('statement_timeout')) {
          const head = Buffer.alloc(5)
          head.write('E')
          head.writeUInt32BE(refusal.length + 4, 1)
          client.end(Buffer.concat([head, Buffer.from(refusal)]))
          return
        }
        const upstream = connect(Number(target.port), target.hostname)
        upstream.write(startup)
        client.pipe(upstream).pipe(client)
        for (const socket of [client, upstream]) socket.on('error', () => socket.destroy())
      })
    })
  }).listen(0, '127.0.0.1')
  after(() => server.close())
  await new Promise(resolve => server.once('listening', resolve))
  const through = new URL(url)
  through.port = String((server.address() as { port: number }).port)
  through.searchParams.set('prepare', 'false')
  return through.href
}

test('behind a pooler: no startup parameter, no prepared statement, nothing left in the session', async () => {
  const url = await freshDatabase()
  const storage = await openStorage(await startPooler(url), {
    database_pool: 1,
    database_statement_timeout: 300,
  })
  const claim = await linked(storage, [1n])
  await write(storage, { orders: [order(1n, 'a'), order(1n, 'b')] })
  const query = { store_id: 1n, field: 'created_at', from: 0, to: 9999 } as const
  const { chunk } = await storage.orders.page(claim, query, 0, 10, null)
  assert.deepEqual(entries(chunk), [{ order: 'a' }, { order: 'b' }])
  assert.deepEqual(entries((await storage.stores.page(claim, 0, 10)).chunk), [{ store: 1 }])

  // The time limit holds all the same, within each transaction.
  await administer(
    url,
    `create function slow() returns trigger language plpgsql as
    'begin perform pg_sleep(5); return new; end'`,
  )
  await administer(
    url,
    'create trigger slow before insert on revoked_tokens for each row execute function slow()',
  )
  const began = performance.now()
  await assert.rejects(storage.revokedTokens.add('j', 1), StorageUnavailable)
  assert.ok(performance.now() - began < 1300)

  const [session] = await administer(
    url,
    `select count(*) as sessions, max(query) as last from pg_stat_activity
     where application_name = 'tillgate' and datname = current_database()`,
  )
  assert.equal(session?.['sessions'], '1')
  assert.match(session?.['last'] as string, /^(commit|rollback)$/)
  await storage.close()
})
