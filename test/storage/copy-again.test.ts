import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { copyAll } from '../../src/storage/copy/run.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { copy, dump, manyOrders, populate, using } from './copying.ts'
import { temporaryFolder } from './folder.ts'
import { account, highest, lowest, order, rewrite, store, write } from './suite/fixtures.ts'
import { copyFrom, openCopy } from '../helpers/storage.ts'

const folder = temporaryFolder()
after(() => folder.remove())

/** Filled once; each test copies from a file of its own: of more batches than are written at a time, of two, and of one. */
const original = folder.newFile()
const twoBatches = folder.newFile()
const small = folder.newFile()
const fewOrders = 100
before(async () => {
  await populate(original)
  await populate(twoBatches, 2500)
  await populate(small, fewOrders)
})
function newSource(of: string): string {
  const file = folder.newFile()
  copyFileSync(of, file)
  return file
}

const engines = [
  { name: 'PostgreSQL', newTarget: freshDatabase },
  { name: 'SQLite', newTarget: async () => folder.newFile() },
]
const ordersIn = async (database: string): Promise<number> => (await dump(database))['orders']?.length ?? 0

for (const { name, newTarget } of engines) {
  describe(`a copy to ${name} that did not come to its end`, () => {
    test('stopped in the middle, it carries on when it is run again', async () => {
      const [source, target] = [newSource(original), await newTarget()]
      const stop = new AbortController()
      let rows = 0
      const onRows = (more: number) => {
        rows += more
        if (rows > 2000) stop.abort()
      }
      assert.equal(await copy(source, target, { signal: stop.signal, onRows }), null)
      const there = await ordersIn(target)
      assert.ok(there > 0 && there < manyOrders, `${there} orders were copied`)
      const copied = await copy(source, target)
      assert.deepEqual(copied?.differences, [])
      assert.ok(copied.written < Object.values(copied.rows).reduce((a, b) => a + b), 'it began anew')
      assert.deepEqual(await dump(target), await dump(source))
    })

    test('a failing write ends it; run again, it completes', async () => {
      const [source, target] = [newSource(small), await newTarget()]
      await copyFrom(source, {}, async from => {
        const to = await openCopy(target)
        const failing = {
          ...to,
          write: async (...args: Parameters<typeof to.write>) => {
            if (args[0].name === 'sales_rollups') throw new Error('the cable was pulled')
            return to.write(...args)
          },
        }
        await assert.rejects(copyAll(from, failing), /the cable was pulled/)
        await to.close()
      })
      assert.deepEqual((await copy(source, target))?.differences, [])
      assert.deepEqual(await dump(target), await dump(source))
    })
  })

  test(`${name}: run again after the source went on, the target follows`, async () => {
    const [source, target] = [newSource(twoBatches), await newTarget()]
    await copy(source, target)
    await using(source, goOn)
    const copied = await copy(source, target)
    assert.deepEqual(copied?.differences, [])
    assert.deepEqual(await dump(target), await dump(source))
    assert.ok(copied.removed > 0)
    assert.ok(copied.written < 30, `${copied.written} rows were written`)
  })
}

/** What a server does to the rows that a copy made of them, and that are hardest to follow. */
async function goOn(storage: Storage): Promise<void> {
  await storage.sessions.end('ended')
  await storage.artifacts.consume('RefreshToken', 'live', 99, ['RefreshToken', 'next', '{}', 9_999_999_999])
  await storage.artifacts.remove('RefreshToken', 'gone')
  await storage.apps.addSecret(
    { id: 'a newer secret', app_id: 'ledger', hash: 'h', created_at: 10, last_used_at: null },
    1,
  )
  // The new live authorization comes before the one that it follows.
  await storage.authorizations.revoke('m', 50)
  await storage.authorizations.save(
    { id: 'a', app_id: 'ledger', account_id: 'm', scope: 'integration.store' },
    [50n],
    'replace',
    60,
  )
  await write(storage, { orders: [order(50n, 'new'), order(highest, '0')] })
  await write(storage, { stores: [store(60n)], orders: [order(60n, 'first')] })
  // Orders whose key changes: to the front, to the back, and two that change places.
  await rewrite(storage, order(50n, 'O-2400', { created_at: 1 }), 3400)
  await rewrite(storage, order(50n, 'O-3', { created_at: 90_000 }), 1003)
  await rewrite(storage, order(50n, 'O-10', { created_at: 3010 }), 1010)
  await rewrite(storage, order(50n, 'O-2010', { created_at: 1010 }), 3010)
  await rewrite(storage, order(lowest, 'a', { doc: '{"changed":true}' }), 1000)
}

test('rows that are written while it runs are left for the next run', async () => {
  const source = newSource(twoBatches)
  const copies = [await freshDatabase(), folder.newFile()]
  for (const [i, from] of [source, copies[0] as string].entries()) {
    const target = copies[i] as string
    const before = await dump(from)
    const writing: Promise<void>[] = []
    const onRows = () => {
      if (writing.length > 0) return
      writing.push(using(from, storage => write(storage, { orders: [order(highest, `late ${i}`)] })))
    }
    assert.deepEqual((await copy(from, target, { onRows }))?.differences, [])
    await Promise.all(writing)
    assert.deepEqual(await dump(target), before)
    // The order, its day's receipt, and its store's version.
    assert.equal((await copy(from, target))?.written, 3)
    assert.deepEqual(await dump(target), await dump(from))
    assert.notDeepEqual(await dump(target), before)
  }
})

describe('what is not overwritten', () => {
  const refusals = [
    {
      title: 'a database with data of its own',
      prepare: (target: string) => using(target, storage => storage.accounts.create(account('x'))),
      message: /already holds data that is not a copy/,
    },
    {
      title: 'a copy of another database',
      async prepare(target: string) {
        const other = folder.newFile()
        await using(other, storage => storage.accounts.create(account('x')))
        await copy(other, target)
      },
      message: /a copy of another database/,
    },
    {
      title: 'a copy that has been used since: somebody signed in',
      async prepare(target: string, source: string) {
        await copy(source, target)
        const session = {
          hash: 's',
          account_id: 'n',
          password_hash: 'hash',
          created_at: 1,
          expires_at: 2,
        }
        await using(target, storage => storage.sessions.create(session))
      },
      message: /has changed since it was copied/,
    },
    {
      title: 'a copy that a server has swept',
      async prepare(target: string, source: string) {
        await copy(source, target)
        await using(target, storage => storage.purge(1))
      },
      message: /already holds data that is not a copy/,
    },
  ]
  for (const { name, newTarget } of engines) {
    for (const { title, prepare, message } of refusals) {
      test(`${name}: ${title}`, async () => {
        const [source, target] = [newSource(small), await newTarget()]
        await prepare(target, source)
        const before = await dump(target)
        await assert.rejects(copy(source, target), message)
        assert.deepEqual(await dump(target), before)
      })
    }
  }

  test('a source of an older schema is not read: it must be migrated first', async () => {
    const source = newSource(small)
    const connection = new DatabaseSync(source)
    connection.exec('delete from schema_migrations')
    connection.close()
    await assert.rejects(
      copy(source, folder.newFile()),
      /has schema 0 and must have \d+; run "tillgate migrate"/,
    )
    await assert.rejects(copy(await freshDatabase(), folder.newFile()), /has schema 0 and must have/)
  })
})

describe('the check', () => {
  const faults = [
    {
      sql: `update orders set doc = doc || ' ' where store_id = 50 and id = 'O-7'`,
      table: 'orders',
      store: '50',
    },
    {
      sql: `update orders set paid_at = null where store_id = -1 and id = 'a'`,
      table: 'orders',
      store: '-1',
    },
    {
      sql: `delete from items where store_id = ${highest} and id = ${lowest}`,
      table: 'items',
      store: `${highest}`,
    },
    { sql: `update sales_rollups set nanos = 0 where store_id = -1`, table: 'sales_rollups', store: '-1' },
    { sql: `update stores set merchant = '' where id = 50`, table: 'stores', store: '50' },
    { sql: `update artifacts set consumed_at = null where hash = 'used'`, table: 'artifacts', store: '' },
  ]

  test('finds a row that is not the same, names its store, and changes nothing', async () => {
    const [source, target] = [newSource(small), await freshDatabase()]
    await copy(source, target)
    for (const [i, { sql }] of faults.entries()) {
      await administer(target, sql)
      const before = await dump(target)
      const checked = await copy(source, target, { check: true })
      const found = checked?.differences.map(({ table, store }) => `${table} ${store}`)
      const made = faults.slice(0, i + 1).map(({ table, store }) => `${table} ${store}`)
      assert.deepEqual(found?.sort(), made.sort())
      assert.deepEqual([checked?.written, checked?.removed], [0, 0])
      assert.deepEqual(await dump(target), before)
    }
  })

  test('a copy that does not come out right says so, and the next one repairs it', async () => {
    const [source, target] = [newSource(small), await freshDatabase()]
    // Between the writing and the comparing.
    await copyFrom(source, {}, async from => {
      const to = await openCopy(target)
      const finish = async () => void (await administer(target, faults[0]?.sql as string))
      const copied = await copyAll(from, { ...to, finish })
      assert.deepEqual(copied?.differences, [
        { table: 'orders', store: '50', source_rows: fewOrders, target_rows: fewOrders },
      ])
      await to.close()
    })
    const repaired = await copy(source, target)
    assert.deepEqual([repaired?.written, repaired?.differences], [1, []])
  })
})
