import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { migrate } from '../../src/storage/open.ts'
import { distributed, reference } from '../../src/storage/postgres/schema/citus.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'

/** What the schema must keep to, so that Citus can spread it; asked of the catalogue of a real PostgreSQL. */

const shardColumn = new Map(distributed.map(({ table, column }) => [table, column]))
let url: string
let tables: string[]

before(async () => {
  url = await freshDatabase()
  await migrate(url)
  const found = await administer(
    url,
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  tables = found.map(({ name }) => name as string).filter(name => name !== 'schema_migrations')
})

test('every table whose rows belong to a store is distributed by it, and the stores by their id', async () => {
  const owned = await administer(
    url,
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'store_id' and is_nullable = 'NO' order by 1`,
  )
  assert.deepEqual(
    [...owned.map(({ name }) => [name, 'store_id']), ['stores', 'id']].sort(),
    [...shardColumn].sort(),
  )
})

test('the primary key and every unique index of a distributed table hold its store; no trigger watches it', async () => {
  const indexes = await administer(
    url,
    `select indrelid::regclass::text as "table", indexrelid::regclass::text as name, indisprimary as primary,
       array(select attname from pg_attribute where attrelid = indrelid and attnum = any(indkey)) as columns
     from pg_index where indisunique and indrelid::regclass::text = any(array['${[...shardColumn.keys()].join("','")}'])`,
  )
  for (const { table, name, columns } of indexes) {
    assert.ok(columns.includes(shardColumn.get(table)), `${name} has ${columns}`)
  }
  for (const table of shardColumn.keys()) {
    assert.ok(
      indexes.some(index => index['table'] === table && index['primary']),
      `${table} has no primary key`,
    )
  }
  const triggers = await administer(
    url,
    'select tgname as name, tgrelid::regclass::text as "table" from pg_trigger where not tgisinternal',
  )
  assert.deepEqual(
    triggers.filter(({ table }) => shardColumn.has(table) || reference.includes(table)),
    [],
  )
})

test('a foreign key of a distributed table stays with its store, or leads to a reference table; no other leads to one', async () => {
  const keys = await administer(
    url,
    `select conrelid::regclass::text as "from", confrelid::regclass::text as "to",
       array(select attname from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns
     from pg_constraint where contype = 'f'`,
  )
  for (const { from, to, columns } of keys) {
    const allowed = shardColumn.has(from)
      ? reference.includes(to) || (shardColumn.has(to) && columns.includes(shardColumn.get(from)))
      : !shardColumn.has(to)
    assert.ok(allowed, `${from} (${columns}) → ${to}`)
    if (reference.includes(from)) assert.ok(reference.includes(to), `the reference table ${from} → ${to}`)
  }
})

test('docs/scaling.md says where each table is', () => {
  const text = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  const told = (where: string) => {
    const row = text.split('\n').find(line => line.startsWith('| `') && line.includes(`| ${where}`))
    return [...(row?.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name as string)
  }
  const known = (name: string) => tables.includes(name)
  assert.deepEqual(told('distributed').filter(known).sort(), [...shardColumn.keys()].sort())
  assert.deepEqual(told('reference tables').sort(), reference.toSorted())
  const local = tables.filter(name => !shardColumn.has(name) && !reference.includes(name))
  assert.deepEqual(told('on the coordinator').sort(), local)
})

test('migrate --citus places every table once, with all of a store in one place; again, it places none', async t => {
  const [own] = await administer(url, 'select rolsuper from pg_roles where rolname = current_user')
  if (!own?.['rolsuper']) return t.skip('needs a role that may write to the catalogue')
  // Citus does not run here. These take its place, and keep what they were asked.
  await administer(
    url,
    `set allow_system_table_mods = on;
     insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
       values (99999, 'citus', 10, 'public'::regnamespace, false, '13.2');
     create table pg_dist_partition (logicalrelid regclass, partmethod char, repmodel char, colocated text);
     create function create_reference_table(name regclass) returns void language sql as
       $$insert into pg_dist_partition values (name, 'n', 't', null)$$;
     create function create_distributed_table(name regclass, by text, colocate_with text) returns void language sql as
       $$insert into pg_dist_partition values (name, 'h', 's', by || ' with ' || colocate_with)$$`,
  )
  const placed = () =>
    administer(
      url,
      'select logicalrelid::text as name, partmethod as method, colocated from pg_dist_partition',
    )
  await migrate(url, { citus: true })
  const once = [...(await placed())].map(row => ({ ...row }))
  const expected = [
    ...reference.map(name => ({ name, method: 'n', colocated: null })),
    ...distributed.map(({ table, column }) => ({
      name: table,
      method: 'h',
      colocated: `${column} with ${table === 'stores' ? 'none' : 'stores'}`,
    })),
  ]
  assert.deepEqual(once, expected)
  await migrate(url, { citus: true })
  assert.equal((await placed()).length, once.length)
})
