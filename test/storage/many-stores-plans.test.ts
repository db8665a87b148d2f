import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import postgres from 'postgres'
import type { Database as PostgresDatabase } from '../../src/storage/postgres/connection/database.ts'
import type { Value } from '../../src/storage/postgres/connection/values.ts'
import { createHeads } from '../../src/storage/postgres/changes/heads.ts'
import { createStores } from '../../src/storage/postgres/lists/stores.ts'
import { createPositions as createPostgresPositions } from '../../src/storage/postgres/webhooks/positions.ts'
import { createAuthorizations } from '../../src/storage/sqlite/apps/authorizations.ts'
import { type Database, openDatabase } from '../../src/storage/sqlite/connection/database.ts'
import { createBrowse } from '../../src/storage/sqlite/lists/browse.ts'
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts'
import { createPositions } from '../../src/storage/sqlite/webhooks/positions.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { openStorage } from '../helpers/storage.ts'

/** What is asked for one merchant or a few stores does not read those of all others. */

suite('plans of SQLite', async () => {
  const db = await openDatabase(':memory:')
  await migrate(db, 0)

  /** The steps of every statement that `create` prepares and that contains the text. */
  function stepsOf(text: string, create: (db: Database) => unknown): string[] {
    const statements: string[] = []
    const prepare: Database['prepare'] = (sql, ...options) => {
      statements.push(sql)
      return db.prepare(sql, ...options)
    }
    create({ ...db, prepare })
    return statements
      .filter(sql => sql.includes(text))
      .flatMap(sql => db.connection.prepare(`explain query plan ${sql}`).all())
      .map(({ detail }) => String(detail))
  }

  test('webhooks: positions are found by the stores that moved, by store or by endpoint', () => {
    const steps = stepsOf('webhook_positions', createPositions)
    const ranges = [
      /SEARCH stores USING (COVERING )?INDEX stores_by_seq \(seq>\? AND seq<\?\)/,
      /SEARCH known USING INDEX webhook_positions_by_endpoint \(endpoint_id=\? AND store_id>\? AND store_id<\?\)/,
    ]
    for (const range of ranges)
      assert.ok(
        steps.some(step => range.test(step)),
        String(range),
      )
    const bad = steps.filter(step => /^SCAN (?!json_each)/.test(step))
    assert.deepEqual(bad, [])
  })

  test('the apps of a merchant are found among the consents of all others', () => {
    const steps = stepsOf('account_id = ?', recording =>
      createAuthorizations(
        recording,
        () => {},
        () => null,
        () => {},
      ),
    )
    assert.ok(steps.some(step => /SEARCH authorizations USING INDEX authorizations_by_account/.test(step)))
  })

  test('a search calls no function of JavaScript for names in ASCII', async () => {
    let calls = 0
    db.connection.function('fold', { deterministic: true }, text => {
      calls++
      return String(text).toLowerCase()
    })
    for (let id = 1; id <= 50; id++)
      db.connection.exec(
        `insert into stores (id, name, timezone, doc) values (${id}, 'Harbour ${id}', '', '{}')`,
      )
    const { stores } = createBrowse(db)
    const found = await stores({ text: 'HARBOUR 7', offset: 0, limit: 10, app_id: null })
    assert.equal(found.total, 1)
    assert.ok(calls < 10, `${calls} calls for 50 stores`)
  })
})

suite('plans of PostgreSQL', async () => {
  const url = await freshDatabase()
  await (await openStorage(url)).close()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  after(() => sql.end())

  test('the apps of a merchant are found among the consents of all others', async () => {
    await sql.unsafe(`
      insert into apps (id, name, scope, redirect_uris, public, created_at) values ('app', '', '', '[]', false, 0);
      insert into accounts (id, email, role, password_hash, created_at)
        select 'm' || n, 'm' || n, 'merchant', '', 0 from generate_series(1, 2000) as n;
      insert into authorizations (id, app_id, account_id, scope, created_at, updated_at)
        select 'a' || n, 'app', 'm' || n, '', 0, 0 from generate_series(1, 2000) as n;
      analyze authorizations;`)
    const plan = await sql.unsafe(
      `explain select id from authorizations where account_id = 'm7' and revoked_at is null`,
    )
    assert.match(plan.map(row => row['QUERY PLAN']).join('\n'), /authorizations_by_account/)
  })

  test('webhooks: positions are found by the stores that moved, also when nobody has analyzed the endpoints', async () => {
    await sql.unsafe(`
      insert into apps (id, name, scope, redirect_uris, public, created_at) values ('b', '', '', '[]', false, 0);
      insert into webhook_endpoints (id, app_id, url, events, secret, created_at) values ('we', 'b', '', 'store.changed', '', 0);
      insert into stores (id, name, timezone, doc, seq) select n, '', '', '{}', n from generate_series(1, 5000) as n;
      insert into webhook_positions (store_id, endpoint_id, history, seq) select n, 'we', 'h', n from generate_series(1, 5000) as n;
      insert into authorization_stores (store_id, app_id, authorization_id, since) select n, 'b', 'x', 0 from generate_series(1, 5000) as n;
      analyze stores, webhook_positions, authorization_stores;`)
    let plan = ''
    const query = async (statement: string, values: readonly Value[]) => {
      const given = values.map(value => (typeof value === 'number' ? value : `'${value}'`))
      await sql.unsafe(`prepare asked as ${statement}`)
      plan = (await sql.unsafe(`explain execute asked (${given.join(', ')})`))
        .map(row => row['QUERY PLAN'])
        .join('\n')
      return []
    }
    const positions = createPostgresPositions({ query, citus: false } as unknown as PostgresDatabase)
    await positions.due({ above: 4990 }, 'h', 1, 10)
    assert.match(plan, /Index Cond: .*store_id = ANY/, plan)
    assert.doesNotMatch(plan, /Seq Scan on webhook_positions/, plan)
  })

  test('a page of the stores of an app reads that part of the index, and sorts nothing', async () => {
    await sql.unsafe(`
      insert into apps (id, name, scope, redirect_uris, public, created_at)
        select 'many ' || n, '', '', '[]', false, 0 from generate_series(1, 200) as n;
      insert into stores (id, name, timezone, doc, seq)
        select n, '', '', '{}', n from generate_series(1000001, 1010000) as n;
      insert into authorization_stores (store_id, app_id, authorization_id, since)
        select 1000000 + (n * 37 + app) % 10000, 'many ' || app, 'many', 0
        from generate_series(1, 200) as app, generate_series(1, 150) as n on conflict do nothing;
      analyze stores, authorization_stores;
      set plan_cache_mode = force_generic_plan`)
    const plans: string[] = []
    const snapshot = async (...statements: [string, readonly Value[]][]) => {
      const [statement, values] = statements[1] as [string, readonly Value[]]
      const given = values.map(value => (Array.isArray(value) ? `'{${value}}'` : `'${value}'`))
      await sql.unsafe(`deallocate all; prepare asked as ${statement}`)
      const rows = await sql.unsafe(`explain execute asked (${given.join(', ')})`)
      plans.push(rows.map(row => row['QUERY PLAN']).join('\n'))
      throw new Error('that is enough')
    }
    const db = { snapshot } as unknown as PostgresDatabase
    const claim = { app_id: 'many 7', authorization_id: null, jti: 't' }
    const page = { claim, offset: 0, limit: 100 }
    const scopes = ['integration.order', 'integration.inventory']
    await assert.rejects(createStores(db).page(page), /enough/)
    await assert.rejects(createHeads(db).heads({ ...page, scopes, after: null }), /enough/)
    await sql.unsafe('reset plan_cache_mode; deallocate all')
    assert.equal(plans.length, 2)
    for (const plan of plans) {
      assert.match(plan, /Index Scan using authorization_stores_by_app/, plan)
      assert.doesNotMatch(plan, /Sort/, plan)
    }
  })

  test('a new endpoint knows each store of its app once, however many statements that takes', async () => {
    await sql.unsafe(`
      insert into apps (id, name, scope, redirect_uris, public, created_at) values ('c', '', '', '[]', false, 0);
      insert into stores (id, name, timezone, doc, seq)
        select n, '', '', '{}', n from generate_series(5001, 25500) as n;
      insert into authorization_stores (store_id, app_id, authorization_id, since)
        select n, 'c', 'y', 0 from generate_series(1, 25500) as n;
      insert into authorization_stores (store_id, app_id, authorization_id, since)
        select n, 'c', 'z', 0 from generate_series(9000, 11000) as n`)
    const storage = await openStorage(url)
    const endpoint = {
      id: 'new',
      app_id: 'c',
      url: '',
      events: ['store.changed' as const],
      secret: '',
      previous_secret: null,
      previous_until: null,
      created_at: 0,
      disabled_at: null,
      reason: null,
      failures: 0,
      failing_since: null,
      retry_at_ms: 0,
    }
    assert.equal(await storage.webhooks.create(endpoint, 1), true)
    await storage.close()
    const [found] = await sql`
      select count(*)::int as count, count(distinct store_id)::int as stores
      from webhook_positions join stores on stores.id = store_id
      where endpoint_id = 'new' and webhook_positions.seq = stores.seq`
    assert.deepEqual({ ...found }, { count: 25_500, stores: 25_500 })
  })
})
