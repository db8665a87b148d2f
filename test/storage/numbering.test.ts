import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { readMigrations } from '../../src/storage/shared/migrations.ts'
import { storedRows } from '../../torture/changes/stored.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { temporaryFolder } from './folder.ts'
import { app } from './suite/fixtures.ts'
import { migrate, openStorage } from '../helpers/storage.ts'

/** Databases from before the sequence, with more rows than one transaction numbers. */

const folder = temporaryFolder()
after(() => folder.remove())

const total = 5200
/** The store's version before the upgrade, which the numbers follow. */
const versions = 3
const ids = Array.from({ length: total }, (_, i) => `o${String(i).padStart(5, '0')}`)
const rows = ids.map((id, i) => `(1, ${i * 60}, '${id}', 1, null, '', '{"id":"${id}","subtotal":2}')`)
const contents = `
  insert into stores (id, name, timezone, merchant, orders_version, items_version, doc)
    values (1, 'S', 'UTC', null, ${versions}, 0, '{}');
  insert into orders (store_id, created_at, id, updated_at, paid_at, sold, doc) values ${rows.join()};`

interface Engine {
  create(script: string): Promise<string>
  run(database: string, sql: string): Promise<unknown>
  /** Makes the numbering of one row fail, and undoes that. */
  fault: { add: string; remove: string }
}

const engines: Record<string, Engine> = {
  sqlite: {
    async create(script) {
      const file = folder.newFile()
      await this.run(file, script)
      return file
    },
    async run(file, sql) {
      const connection = new DatabaseSync(file)
      try {
        connection.exec(sql)
      } finally {
        connection.close()
      }
    },
    fault: {
      add: `create trigger fault before update on orders when new.id = 'o05100' begin select raise(abort, 'fault'); end`,
      remove: 'drop trigger fault',
    },
  },
  postgres: {
    async create(script) {
      const url = await freshDatabase()
      await administer(url, script)
      return url
    },
    run: administer,
    fault: {
      add: `alter table orders add constraint fault check (id <> 'o05100' or updated_at = 0) not valid`,
      remove: 'alter table orders drop constraint fault',
    },
  },
}

/** The statements that make a database as it was before the sequence. */
function scriptOf(name: string): string[] {
  const migrations = readMigrations(join(import.meta.dirname, '../../src/storage', name, 'schema'))
  const before = migrations.filter(({ number }) => number < 9)
  const log = 'create table schema_migrations (number bigint primary key, name text, applied_at bigint);'
  const applied = before.map(one => `insert into schema_migrations values (${one.number}, '${one.name}', 1);`)
  return [...before.map(({ sql }) => sql), log, ...applied, contents]
}

const bySeq = async (database: string) => (await storedRows(database, 1)).toSorted((a, b) => a.seq - b.seq)

for (const [name, engine] of Object.entries(engines)) {
  test(`${name}: processes that start at once number each row once`, async () => {
    const database = await engine.create(scriptOf(name).join('\n'))
    await Promise.all([migrate(database), migrate(database)])
    const found = await bySeq(database)
    assert.deepEqual(
      found.map(({ id, seq }) => `${id} ${seq}`),
      ids.map((id, i) => `${id} ${versions + i + 1}`),
    )
  })

  test(`${name}: numbering that was interrupted goes on at the next start, and then refuses earlier versions`, async () => {
    const database = await engine.create([...scriptOf(name), engine.fault.add].join('\n'))
    await assert.rejects(migrate(database), /fault/)
    const numbered = (await storedRows(database, 1)).filter(({ seq }) => seq > 0)
    assert.equal(numbered.length, 5000)
    await engine.run(database, engine.fault.remove)
    await migrate(database)

    const found = await bySeq(database)
    assert.deepEqual(
      found.map(({ id }) => id),
      ids,
    )
    assert.deepEqual([found[0]?.seq, found.at(-1)?.seq], [versions + 1, versions + total])
    const storage = await openStorage(database)
    try {
      await storage.apps.create(app('reader'), null)
      const link = {
        id: 'link',
        app_id: 'reader',
        account_id: null,
        scope: 'integration.store integration.order integration.inventory',
      }
      await storage.authorizations.save(link, [1n], 'add', 1)
      const claim = { app_id: 'reader', authorization_id: null, jti: 'any' }
      const query = { store_id: 1n, first_day: 0, last_day: 10 }
      const { facts, receipts } = await storage.changes.receipts({ claim, query })
      assert.equal(facts.store?.seq, versions + total, 'no row is beyond the newest seq of the store')
      const firstDay = found.slice(0, 1440)
      assert.deepEqual(receipts?.days[0], {
        day: 0,
        count: 1440,
        subtotal: 2880,
        digest: digest(firstDay),
      })
      assert.equal(
        receipts?.days.reduce((sum, { count }) => sum + count, 0),
        total,
      )
    } finally {
      await storage.close()
    }
    // As earlier versions write, whichever kind changed last.
    await engine.run(database, `update stores set seq = 9000000, items_version = 9000000 where id = 1`)
    for (const column of ['orders_version', 'items_version']) {
      const old = engine.run(database, `update stores set ${column} = ${column} + 1 where id = 1`)
      await assert.rejects(old, /newer version of Tillgate/)
    }
  })
}

function digest(entities: readonly { id: string; seq: number }[]): string {
  let sum = 0n
  for (const { id, seq } of entities) {
    const hex = createHash('sha256').update(`${id}:${seq}`).digest('hex')
    sum = (sum + BigInt(`0x${hex.slice(0, 32)}`)) % (1n << 128n)
  }
  return sum.toString(16).padStart(32, '0')
}
