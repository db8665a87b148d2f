import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import postgres from 'postgres'
import { type Database, openDatabase } from '../../src/storage/postgres/connection/database.ts'
import { readSettings } from '../../src/storage/postgres/connection/settings.ts'
import type { Value } from '../../src/storage/postgres/connection/values.ts'
import { createStorage, migratePostgres } from '../../src/storage/postgres/index.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { distributed } from '../../src/storage/postgres/schema/citus.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { calls, fill, type Reach } from './shards/calls.ts'

/**
 * To how many shards of Citus each statement goes, without Citus: every distributed table is partitioned by the hash of
 * its distribution column, and the planner tells which partitions a statement needs.
 */

const partitions = 4

type Statement = readonly [sql: string, values: readonly Value[]]

let url: string
let db: Database
let storage: Storage
let sent: Statement[] = []
let planner: postgres.Sql

before(async () => {
  url = await freshDatabase()
  await migratePostgres(url)
  await administer(url, distributed.map(partition).join('\n'))
  const settings = readSettings(url)
  db = await openDatabase(settings)
  storage = createStorage(recorded(db), settings)
  planner = postgres(url, { max: 1, onnotice: () => {} })
  await planner.unsafe('set plan_cache_mode = force_custom_plan')
  await fill(storage)
})
after(async () => {
  db.close()
  await planner.end()
})

/** `orders` becomes a partitioned table with the same columns and indexes. */
const partition = ({ table, column }: (typeof distributed)[number]): string =>
  [
    `alter table ${table} rename to old_${table};`,
    `create table ${table} (like old_${table} including defaults including indexes) partition by hash (${column});`,
    ...Array.from(
      { length: partitions },
      (_, i) =>
        `create table ${table}_part${i} partition of ${table} for values with (modulus ${partitions}, remainder ${i});`,
    ),
  ].join('\n')

/** The database as on Citus, with each statement kept. */
function recorded(database: Database): Database {
  const keep = (sql: string, values: readonly Value[] = []) => void sent.push([sql, values])
  return {
    ...database,
    citus: true,
    query(sql, values) {
      keep(sql, values)
      return database.query(sql, values)
    },
    planned(sql, values) {
      keep(sql, values)
      return database.planned(sql, values)
    },
    rawRow(sql, values) {
      keep(sql, values)
      return database.rawRow(sql, values)
    },
    snapshot(...statements) {
      for (const statement of statements) keep(...statement)
      return database.snapshot(...statements)
    },
    write: (work, options) =>
      database.write(
        tx =>
          work({
            ...tx,
            query(sql, values) {
              keep(sql, values)
              return tx.query(sql, values)
            },
            send(sql, values) {
              keep(sql, values)
              tx.send(sql, values)
            },
          }),
        options,
      ),
  }
}

/** The shards that a statement reads, changes or inserts into, of the distributed table with most of them. */
async function shardsOf([sql, values]: Statement): Promise<number> {
  const named = distributed.filter(
    ({ table, column }) =>
      new RegExp(`(from|join|into|update) ${table}\\b`).test(sql) &&
      // Citus joins on the distribution column where the rows are.
      !new RegExp(`join ${table}( as \\w+)? on ${table}\\.${column} = \\w+\\.`).test(sql),
  )
  if (named.length === 0) return 0
  await planner.unsafe(`deallocate all; prepare asked as ${sql}`)
  const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
  const rows = await planner.unsafe(`explain execute asked ${given}`)
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  const counts = named.map(({ table, column }) => {
    const read = new Set(plan.match(new RegExp(`\\b${table}_part\\d`, 'g')))
    const count = read.size + insertedValues(sql, values, table, column)
    // Citus sends such a statement to every shard; PostgreSQL knows that it finds nothing.
    assert.ok(count > 0, `the ${column} of ${table} is null or missing: ${sql}\n${plan}`)
    return count
  })
  return Math.max(...counts)
}

/** How many different values of the distribution column an INSERT gives; all shards when they are in a list. */
function insertedValues(sql: string, values: readonly Value[], table: string, column: string): number {
  const [, names, rest = ''] = new RegExp(`insert into ${table}\\s+\\(([^)]*)\\)\\s+([^]*)`).exec(sql) ?? []
  if (names === undefined) return 0
  const place = names.split(',').findIndex(name => name.trim() === column)
  const rows = rest.startsWith('values')
    ? [...(rest.split(' on conflict')[0] ?? '').matchAll(/\(([^()]*)\)/g)].map(([, row = '']) => row)
    : [rest.replace(/^select /, '').split(/\sfrom\s/)[0] ?? '']
  const parameters = rows.map(row => /^\$(\d+)(::\w+)?$/.exec(row.split(',')[place]?.trim() ?? '')?.[1])
  if (parameters.includes(undefined)) return partitions
  return new Set(parameters.map(parameter => String(values[Number(parameter) - 1]))).size
}

const literal = (value: Value): string => {
  if (value === null) return 'null'
  const text = Array.isArray(value)
    ? `{${value.map(each => (each === null ? 'null' : JSON.stringify(String(each)))).join(',')}}`
    : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

const most: Record<Reach, number> = {
  one: 1,
  'one for each store': 2,
  'one for each artifact': 2,
  all: partitions,
}

const volatile = /gen_random_uuid|random\(|clock_timestamp|nextval/i

for (const [name, [reach, ...forms]] of Object.entries(calls)) {
  test(`${name}: a statement goes to ${reach === 'all' ? 'all shards' : `${reach} shard`}`, async () => {
    sent = []
    for (const call of forms) await call(storage)
    const shards: number[] = []
    for (const statement of sent) shards.push(await shardsOf(statement))
    assert.ok(
      Math.max(0, ...shards) <= most[reach],
      sent.map(([sql], i) => `${shards[i]}: ${sql}`).join('\n'),
    )
    for (const [sql] of sent) assert.doesNotMatch(sql, volatile, 'Citus refuses it in an update')
    if (reach === 'all') assert.equal(Math.max(...shards), partitions, 'docs/scaling.md could promise more')
  })
}

test('every method of the storage has its place in the list', () => {
  const methods = Object.entries(storage).flatMap(([noun, methods]) =>
    typeof methods === 'object' ? Object.keys(methods).map(method => `${noun}.${method}`) : [],
  )
  assert.deepEqual(Object.keys(calls).sort(), methods.sort())
})

test('docs/scaling.md lists the same', () => {
  const text = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  for (const reach of Object.keys(most)) {
    const row = text.split('\n').find(line => line.startsWith(`| ${reach} |`)) ?? ''
    const listed = [...row.matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name)
    const expected = Object.keys(calls).filter(name => calls[name]?.[0] === reach)
    assert.deepEqual(listed.sort(), expected.sort(), reach)
  }
})

test('purge writes to no table in which nothing has expired', async () => {
  sent = []
  await storage.purge(0)
  assert.deepEqual(
    sent.filter(([sql]) => sql.startsWith('delete')),
    [],
  )
})

test('webhooks that are due after a commit: every distributed table names its stores, as Citus needs it', async () => {
  sent = []
  await storage.webhooks.due({ store_ids: [1n] }, 'h', 1, 10)
  const [[sql = ''] = []] = sent
  // PostgreSQL follows the joins; Citus sends the statement to all shards when one of the three is missing.
  for (const column of ['known.store_id', 'stores.id', 'linked.store_id']) {
    assert.ok(sql.includes(`${column} = any ($3::bigint[])`), column)
  }
})
