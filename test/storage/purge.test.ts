import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { openStorage } from '../helpers/storage.ts'
import { temporaryFolder } from './folder.ts'

/** A purge that one table refuses, or that takes long. */

const folder = temporaryFolder()
after(() => folder.remove())

const now = 1_793_534_400

/** An expired row in the first table, which refuses, in one of the others and in one of usage. */
const fill = `
  insert into artifacts (kind, hash, payload, expires_at) values ('k', 'h', '', 0);
  insert into revoked_tokens (jti, expires_at) values ('j', 0);
  insert into request_log (app_id, at_ms, request_id, method, endpoint, status, microseconds)
    values ('a', 1, 'r', 'GET', 'GET /x', 200, 1);`
const left = `select (select count(*) from artifacts) || '-' || (select count(*) from revoked_tokens) || '-' ||
  (select count(*) from request_log) as rows`

suite('the tables after one that refuses are purged too, and the first error is thrown', () => {
  test('SQLite', async t => {
    const file = folder.newFile()
    const storage = await openStorage(file)
    const connection = new DatabaseSync(file)
    t.after(() => {
      connection.close()
      return storage.close()
    })
    connection.exec(`${fill}
      create trigger refuse before delete on artifacts begin select raise(abort, 'refused'); end;`)
    await assert.rejects(storage.purge(now), /refused/)
    assert.deepEqual(connection.prepare(left).get()?.['rows'], '1-0-0')
  })

  test('PostgreSQL', async t => {
    const url = await freshDatabase()
    const storage = await openStorage(url)
    t.after(storage.close)
    await administer(
      url,
      `${fill}
       create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
       create trigger refuse before delete on artifacts for each row execute function refuse();`,
    )
    await assert.rejects(storage.purge(now), /refused/)
    const [rows] = await administer(url, left)
    assert.deepEqual(rows?.['rows'], '1-0-0')
  })
})

test('PostgreSQL: a bucket of usage may take longer than the statement timeout', async t => {
  const url = await freshDatabase()
  const storage = await openStorage(url, { database_statement_timeout: 1000 })
  t.after(storage.close)
  await administer(
    url,
    `insert into usage_reads select store, 3600, 0, 'a', 1, 1, 1, 1, 1 from generate_series(1, 3000) as store;
     create function wait() returns trigger language plpgsql as
       $$ begin perform pg_sleep(2.5); return null; end $$;
     create trigger wait before delete on usage_reads for each statement execute function wait();`,
  )
  await storage.purge(now)
  const [rows] = await administer(url, 'select count(*)::integer as count from usage_reads')
  assert.equal(rows?.['count'], 0)
})
