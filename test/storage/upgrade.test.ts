import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { readMigrations } from '../../src/storage/shared/migrations.ts'
import { allApps, type Storage } from '../../src/storage/port/index.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { temporaryFolder } from './folder.ts'
import { migrate, openStorage } from '../helpers/storage.ts'

/** A populated database of every migration number, brought up to now: nothing in it is lost or changed. */

const fixtures = join(import.meta.dirname, 'upgrades')
const numbers = readdirSync(fixtures).map(file => Number(file.slice(0, 4)))
const store_id = 9007199254740993n
const claim = { app_id: 'app', authorization_id: 'grant', jti: 'live' }

const folder = temporaryFolder()
after(() => folder.remove())

const engines = {
  sqlite: async (script: string) => {
    const file = folder.newFile()
    const database = new DatabaseSync(file)
    database.exec(`begin;\n${script}\ncommit;`)
    database.close()
    return file
  },
  postgres: async (script: string) => {
    const url = await freshDatabase()
    await administer(url, script)
    return url
  },
}

for (const [engine, create] of Object.entries(engines)) {
  const migrations = readMigrations(join(import.meta.dirname, '../../src/storage', engine, 'schema'))

  test(`${engine}: every migration number has a populated database to upgrade`, () => {
    assert.deepEqual(
      numbers,
      migrations.map(({ number }) => number),
    )
  })

  test(`${engine}: a migration that another version left out is applied; one of another version is refused`, async () => {
    const applied = migrations.filter(({ number }) => number !== 15 && number <= 16)
    const create_log =
      'create table schema_migrations (number bigint primary key, name text, applied_at bigint);'
    const rows = applied.map(one => `insert into schema_migrations values (${one.number}, '${one.name}', 1);`)
    const database = await create([...applied.map(({ sql }) => sql), create_log, ...rows].join('\n'))
    assert.deepEqual(await migrate(database), { from: 16, to: migrations.at(-1)?.number })
    const storage = await openStorage(database)
    const links = await storage.authorizations.linksTo([1n], 'app').finally(() => storage.close())
    assert.equal(links.length, 0)
    const foreign = rows.map(row => row.replace("'sequence'", "'sequence-of-a-branch'"))
    const other = await create([...applied.map(({ sql }) => sql), create_log, ...foreign].join('\n'))
    await assert.rejects(
      migrate(other),
      /migration 9 "sequence-of-a-branch" of a version that was never released/,
    )
  })

  test(`${engine}: a thread opens no database that lacks migrations`, async () => {
    const before = migrations.slice(0, -1)
    const create_log =
      'create table schema_migrations (number bigint primary key, name text, applied_at bigint);'
    const rows = before.map(one => `insert into schema_migrations values (${one.number}, '${one.name}', 1);`)
    const database = await create([...before.map(({ sql }) => sql), create_log, ...rows].join('\n'))
    await assert.rejects(openStorage(database, { migrated: true }), /lacks migrations .* restart the server/)
    await migrate(database)
    await (await openStorage(database, { migrated: true })).close()
  })

  for (const number of numbers) {
    test(`${engine}: a database of schema ${number} comes up to now with all that it holds`, async () => {
      const before = migrations.filter(migration => migration.number <= number)
      const log = 'create table schema_migrations (number bigint primary key, name text, applied_at bigint);'
      const rows = before.map(
        one => `insert into schema_migrations values (${one.number}, '${one.name}', 1);`,
      )
      const fixture = readFileSync(join(fixtures, `${String(number).padStart(4, '0')}.sql`), 'utf8')
      const database = await create([...before.map(({ sql }) => sql), log, ...rows, fixture].join('\n'))
      assert.deepEqual(await migrate(database), { from: number, to: migrations.at(-1)?.number })
      const storage = await openStorage(database)
      try {
        // Rows without a number get those that follow the store's version; the later fixtures have numbers.
        const item_seq = number < 10 ? 4 : 1
        await checkContents(storage, Math.max(3, item_seq + 1))
        await checkSequence(storage, item_seq)
        if (number >= 3) await checkUsage(storage, number >= 11)
        if (number >= 12) await checkWebhooks(storage)
        await checkBrand(storage, number >= 14)
        assert.equal((await storage.apps.find('paused'))?.disabled_by_owner, number >= 4 ? true : undefined)
      } finally {
        await storage.close()
      }
    })
  }
}

async function checkContents(storage: Storage, seq: number): Promise<void> {
  assert.equal((await storage.accounts.findByEmail('ada@example.com'))?.id, 'ada')
  assert.equal((await storage.sessions.findAccount('session', 200))?.id, 'ada')
  assert.deepEqual((await storage.apps.find('app'))?.redirect_uris, ['https://a.example/cb'])
  assert.equal((await storage.apps.secrets('app'))[0]?.hash, 'secret-hash')
  assert.equal((await storage.artifacts.find('RefreshToken', 'refresh'))?.payload, '{"a":1}')
  assert.equal(await storage.revokedTokens.has('dead'), true)
  assert.deepEqual(
    (await storage.keys.list('sign')).map(({ id }) => id),
    ['key'],
  )
  const window = { store_id, field: 'created_at', from: 0, to: 2000 } as const
  const { facts, chunk } = await storage.orders.page({ claim, query: window, offset: 0, limit: 10 })
  assert.deepEqual(facts.store, { doc: '{"store":1}', orders_version: 3, items_version: 2, seq })
  assert.equal(Buffer.concat(chunk?.parts ?? []).toString(), '{"order":"o1"}')
  // Before scopes could be added, an authorization covered those of its app.
  assert.equal(facts.store_scope, 'integration.store integration.order')
  assert.equal((await storage.authorizations.find('grant'))?.scope, 'integration.store integration.order')
  const items = await storage.items.page({
    claim,
    query: { store_id, updated_after: null },
    offset: 0,
    limit: 10,
  })
  assert.equal(Buffer.concat(items.chunk?.parts ?? []).toString(), '{"item":7}')
  const spans = [{ width: 86_400, first: 0, last: 0 }]
  const { sold } = await storage.sales.sum({
    claim,
    query: { store_id, spans, edges: [{ from: 0, to: 2000 }] },
  })
  const sums = sold?.map(({ item_id, lines, units, nanos }) => [item_id, lines, units, nanos])
  assert.deepEqual(sums, [
    [7n, 1n, 2n, 500_000_000n],
    [7n, 1n, 2n, 500_000_000n],
  ])
  assert.equal(await storage.stores.activate(store_id, 'app', 999), 150)
}

async function checkBrand({ apps, brand, logos }: Storage, exists: boolean): Promise<void> {
  assert.equal((await apps.find('app'))?.logo, exists ? 'v1' : null)
  assert.equal((await brand.find()).support, exists ? 'help@example.com' : null)
  assert.deepEqual((await logos.find('platform'))?.content, exists ? Buffer.from([3, 4, 5]) : undefined)
}

/** Rows from before the sequence are numbered by time and id, items first; the receipts are theirs. */
async function checkSequence({ changes }: Storage, item_seq: number): Promise<void> {
  const query = { store_id, after: 0, kinds: ['order', 'item'] as const }
  const { chunk } = await changes.page({ claim, query, limit: 10, count: 10 })
  assert.deepEqual(JSON.parse(`[${Buffer.concat(chunk?.parts ?? [])}]`), [
    { seq: item_seq, kind: 'item', id: 7, data: { item: 7 } },
    { seq: item_seq + 1, kind: 'order', id: 'o1', data: { order: 'o1' } },
  ])
  const days = { store_id, first_day: 0, last_day: 0 }
  const { receipts } = await changes.receipts({ claim, query: days })
  assert.deepEqual(receipts, {
    days: [{ day: 0, count: 1, subtotal: 0, digest: digest(`o1:${item_seq + 1}`) }],
    items: { count: 1, subtotal: 0, digest: digest(`7:${item_seq}`) },
  })
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

async function checkUsage({ usage }: Storage, keepsProblems: boolean): Promise<void> {
  const span = { width: 3600, from: 0, to: 0 }
  const [reads] = await usage.reads({ ...span, store_ids: [store_id], app_id: 'app', by: [] })
  assert.deepEqual([reads?.requests, reads?.orders, reads?.last_at], [3, 100, 1234])
  for (const app_id of ['app', allApps]) {
    const [requests] = await usage.requests({ ...span, app_id, by: 'endpoint' })
    assert.deepEqual([requests?.requests, requests?.latencies.at(-1)], [3, 1], app_id)
  }
  assert.equal((await usage.ingest(span))[0]?.orders, 50)
  const entry = await usage.logged('app', 'request')
  assert.equal(entry?.error_code, 'store_forbidden')
  assert.deepEqual(
    [entry.query, entry.problem],
    keepsProblems ? [`store_id=${store_id}`, 'No access'] : [null, null],
  )
}

async function checkWebhooks({ webhooks }: Storage): Promise<void> {
  const endpoint = await webhooks.find('we_1')
  assert.deepEqual([endpoint?.url, endpoint?.failures], ['https://a.example/hook', 2])
  assert.equal((await webhooks.delivery('msg_1'))?.status, 500)
  assert.deepEqual(await webhooks.sender(), { paused: false, watermark: 0 })
}
