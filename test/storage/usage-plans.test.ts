import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import postgres from 'postgres'
import { everSpan, type Usage, usageRetention } from '../../src/storage/port/index.ts'
import type { Database as PostgresDatabase } from '../../src/storage/postgres/connection/database.ts'
import { createMaintenance } from '../../src/storage/postgres/maintenance.ts'
import { createUsage as createPostgresUsage } from '../../src/storage/postgres/usage/usage.ts'
import { encode, type Value } from '../../src/storage/postgres/connection/values.ts'
import { type Database, openDatabase } from '../../src/storage/sqlite/connection/database.ts'
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts'
import { createUsage as createSqliteUsage } from '../../src/storage/sqlite/usage/usage.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { openStorage } from '../helpers/storage.ts'

/** A page of figures reads the rows that it shows, however much else is stored. */

const span = { width: 3600, from: 3_600_000, to: 3_672_000 }
const stores = { store_ids: [1n, 2n], app_id: null }
const log = { app_id: 'app1', errors_only: true, endpoint: null, before: null, limit: 50 }

/** Each question, and the index that must answer it: that of its store or its app. */
const questions: Record<string, { ask(usage: Usage): Promise<unknown>; sqlite: RegExp; postgres: RegExp }> = {
  reads: {
    ask: usage => usage.reads({ ...span, ...stores, by: [] }),
    sqlite: /PRIMARY KEY \(store_id=\? AND width=\? AND bucket>\? AND bucket<\?\)/,
    postgres: /usage_reads_pkey/,
  },
  'reads by store': {
    ask: usage => usage.reads({ ...span, ...stores, by: ['store_id'] }),
    sqlite: /PRIMARY KEY \(store_id=\? AND width=\? AND bucket>\? AND bucket<\?\)/,
    postgres: /usage_reads_pkey/,
  },
  activity: {
    ask: usage => usage.activity({ ...span, ...stores, after: null, limit: 50 }),
    sqlite: /PRIMARY KEY \(store_id=\? AND width=\? AND bucket>\? AND bucket<\?\)/,
    postgres: /usage_reads_pkey/,
  },
  'reads ever': {
    ask: usage => usage.reads({ ...everSpan, ...stores, by: ['app_id'], together: true }),
    sqlite: /PRIMARY KEY \(store_id=\? AND width=\? AND bucket>\? AND bucket<\?\)/,
    postgres: /usage_reads_pkey/,
  },
  'requests of an app': {
    ask: usage => usage.requests({ ...span, app_id: 'app1', by: 'bucket' }),
    sqlite: /PRIMARY KEY \(app_id=\? AND width=\? AND bucket>\? AND bucket<\?\)/,
    postgres: /usage_requests_pkey/,
  },
  'busiest apps': {
    ask: usage => usage.busiestApps(span, 10),
    sqlite: /usage_requests_by_bucket \(width=\? AND bucket=\?\)/,
    postgres: /usage_requests_by_bucket/,
  },
  log: {
    ask: usage => usage.log(log),
    sqlite: /PRIMARY KEY \(app_id=\? AND \(at_ms,request_id\)<\(\?,\?\)\)/,
    postgres: /request_log_(pkey|by_id)/,
  },
  'a request by its id': {
    ask: usage => usage.logged('app1', 'r1'),
    sqlite: /request_log_by_id \(app_id=\? AND request_id=\?\)/,
    postgres: /request_log_by_id/,
  },
  trimming: {
    ask: usage => usage.trimLog('app1', 1000),
    sqlite: /PRIMARY KEY \(app_id=\? AND at_ms<\?\)/,
    postgres: /request_log_(pkey|by_id)/,
  },
}

suite('plans of SQLite', async () => {
  const db = await openDatabase(':memory:')
  await migrate(db, 0)
  for (const [name, { ask, sqlite }] of Object.entries(questions)) {
    test(name, async () => {
      let asked = ''
      const recording: Database = {
        ...db,
        prepare: ((sql: string, ...options: []) => {
          const statement = db.prepare(sql, ...options)
          const note =
            <T extends unknown[], R>(run: (...values: T) => R) =>
            (...values: T) => {
              asked = sql
              return run(...values)
            }
          return {
            get: note(statement.get.bind(statement)),
            all: note(statement.all.bind(statement)),
            run: note(statement.run.bind(statement)),
          }
        }) as Database['prepare'],
      }
      await ask(createSqliteUsage(recording))
      const steps = db.connection.prepare(`explain query plan ${asked}`).all()
      assert.match(steps.map(({ detail }) => detail).join('\n'), sqlite)
    })
  }
})

const fill = `
  insert into usage_reads
    select store, width, bucket * width, 'app' || app, 1, 1, 1, 1, 1
    from generate_series(1, 100) as store, (values (3600), (86400)) as widths (width),
      generate_series(0, 300) as bucket, generate_series(1, 2) as app;
  insert into usage_reads select store, 0, 0, 'app1', 1, 1, 1, 1, 1 from generate_series(1, 100) as store;
  insert into usage_requests
    select 'app' || app, width, bucket * width, 'GET /x', 1, 0, 0, ${Array.from({ length: 21 }, () => 0).join(', ')}
    from generate_series(1, 100) as app, (values (3600), (86400)) as widths (width), generate_series(0, 300) as bucket;
  insert into request_log
    select 'app' || n % 20, n, 'r' || n, 'GET', 'GET /x', 200, null, 1, null from generate_series(1, 50000) as n;
  analyze;`

suite('plans of PostgreSQL', async () => {
  const url = await freshDatabase()
  await (await openStorage(url)).close()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  after(() => sql.end())
  await sql.unsafe(fill)
  for (const mode of ['force_generic_plan', 'force_custom_plan']) {
    for (const [name, { ask, postgres }] of Object.entries(questions)) {
      test(`${name} (${mode})`, async () => {
        let plan = ''
        const query = async (statement: string, values: readonly Value[] = []) => {
          await sql.unsafe(`deallocate all; set plan_cache_mode = ${mode}; prepare asked as ${statement}`)
          const rows = await sql.unsafe(`explain execute asked (${values.map(literal).join(', ')})`)
          plan = rows.map(row => row['QUERY PLAN']).join('\n')
          return []
        }
        await ask(createPostgresUsage({ query, planned: query } as unknown as PostgresDatabase))
        assert.match(plan, postgres)
        // The reads of some hours, not of all: they are planned for their values.
        if (/^reads( by store)?$/.test(name) && mode === 'force_custom_plan')
          assert.match(plan, /Index Cond:.*bucket/)
        assert.doesNotMatch(plan, /Seq Scan on (usage|request)|by_second/, plan)
      })
    }
  }

  test('what has expired is found and deleted by its time', async () => {
    const plans: string[] = []
    const explain = (mode: string) => async (statement: string, values: readonly Value[]) => {
      if (!/usage_re/.test(statement)) return []
      await sql.unsafe(`deallocate all; set plan_cache_mode = ${mode}; prepare asked as ${statement}`)
      const rows = await sql.unsafe(`explain execute asked (${values.map(literal).join(', ')})`)
      plans.push(rows.map(row => row['QUERY PLAN']).join('\n'))
      // Something has expired; one batch is enough.
      return statement.startsWith('select 1') ? [{}] : []
    }
    const db = {
      query: explain('force_generic_plan'),
      write: (work: (tx: object) => Promise<unknown>, { planned = false }) =>
        work({ query: explain(planned ? 'force_custom_plan' : 'force_generic_plan') }),
    }
    // The first three hours, and no day.
    await createMaintenance(db as unknown as PostgresDatabase).purge(usageRetention.hour + 2 * 3600)
    assert.equal(plans.filter(plan => plan.startsWith('Delete')).length, 4)
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan/, plan)
  })
})

function literal(value: Value): string {
  const text = encode(value)
  return text === null ? 'null' : typeof text === 'boolean' ? String(text) : `'${text}'`
}
