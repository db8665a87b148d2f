import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import type { AuditEntry } from '../../src/storage/port/index.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { temporaryFolder } from './folder.ts'
import { openStorage } from '../helpers/storage.ts'

/** The audit log is append-only, also for somebody with direct access to the database. */

const folder = temporaryFolder()
after(() => folder.remove())

const entry: AuditEntry = {
  id: '1',
  at: 1000,
  action: 'sign_in',
  actor_kind: 'account',
  actor_id: 'ada',
  actor_name: 'ada@example.com',
  account_id: null,
  app_id: null,
  store_ids: [7n],
  detail: null,
  address: '192.0.2.1',
  request_id: 'r',
}

const insert = (verb: string, more = '') =>
  `${verb} into audit_entries (id, at, action, actor_kind, store_ids) values ('1', 2, 'forged', 'server', '') ${more}`

const everywhere = [
  "update audit_entries set actor_name = 'somebody else'",
  "update audit_entries set at = 1 where id = '1'",
  'delete from audit_entries',
  "delete from audit_entries where id = '1'",
  insert('insert'),
  insert('insert', "on conflict (id) do update set action = 'forged'"),
]

const engines = {
  sqlite: {
    create: async () => folder.newFile(),
    run: async (file: string, sql: string) => {
      const database = new DatabaseSync(file)
      try {
        database.exec(sql)
      } finally {
        database.close()
      }
    },
    statements: [...everywhere, insert('insert or replace'), insert('replace')],
  },
  postgres: {
    create: () => freshDatabase(),
    run: (url: string, sql: string) => administer(url, sql),
    statements: [...everywhere, 'truncate audit_entries', 'truncate audit_entries cascade'],
  },
}

for (const [engine, { create, run, statements }] of Object.entries(engines)) {
  test(`${engine}: the database refuses to change, delete or replace an entry`, async () => {
    const database = await create()
    const storage = await openStorage(database)
    try {
      await storage.audit.append(entry)
      for (const sql of statements) {
        await assert.rejects(run(database, sql), /only added to|duplicate key|UNIQUE/, sql)
      }
      const { lines } = await storage.audit.list({ limit: 9, scan_limit: 9 })
      assert.deepEqual(lines, [{ ...entry, account_email: null, app_name: null }])
    } finally {
      await storage.close()
    }
  })
}
