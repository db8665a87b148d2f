import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { examine } from '../../src/storage/open.ts'
import { distributed, onCoordinator, reference } from '../../src/storage/postgres/schema/citus.ts'
import { statementsOf } from '../../src/storage/postgres/schema/migrate.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { migrate } from '../helpers/storage.ts'

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
  tables = found.map(({ name }) => name as string)
})

test('every table whose rows belong to a store is distributed by it, and the stores by their id', async () => {
  const owned = await administer(
    url,
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'store_id' and is_nullable = 'NO' order by 1`,
  )
  assert.deepEqual(
    [...owned.map(({ name }) => name), 'stores'].sort(),
    distributed
      .filter(({ table, with: group }) => table === 'stores' || group === 'stores')
      .map(({ table }) => table)
      .sort(),
  )
  for (const { name } of owned) assert.equal(shardColumn.get(name), 'store_id')
})

test('every table has one place, so that a node can be connected to any server of the cluster', () => {
  assert.deepEqual([...reference, ...shardColumn.keys(), ...onCoordinator].sort(), tables)
})

test('the primary key and every unique index of a distributed table hold its store; no trigger watches it there', async () => {
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
  // The one that `migrate --citus` drops before it distributes the table.
  assert.deepEqual(
    triggers.filter(({ table }) => shardColumn.has(table) || reference.includes(table)),
    [{ name: 'stores_seq', table: 'stores' }],
  )
})

test('the distribution columns of tables on the same worker have one type and one collation', async () => {
  const columns = await administer(
    url,
    `select attrelid::regclass::text || '.' || attname as name, atttypid::regtype || ' ' || attcollation::regcollation as type
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0`,
  )
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  for (const { table, column, with: group } of distributed) {
    if (group === 'none') continue
    assert.equal(types.get(`${table}.${column}`), types.get(`${group}.${shardColumn.get(group)}`), table)
  }
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

test('a migration is sent statement by statement, as the workers of Citus need it', () => {
  const sql = `-- Not the end; of the operator's comment.
    create table a (b text default 'c;d'); create function e() returns void language sql as $$ select 1; select 2 $$;
    -- The last line.
    `
  assert.deepEqual(
    statementsOf(sql).map(statement => statement.replace(/--.*/, '').trim()),
    [
      `create table a (b text default 'c;d')`,
      'create function e() returns void language sql as $$ select 1; select 2 $$',
    ],
  )
})

test('docs/scaling.md says where each table is', () => {
  const text = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  const told = (where: string) => {
    const row = text.split('\n').find(line => line.startsWith('| `') && line.includes(`| ${where}`))
    const names = [...(row?.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name as string)
    return names.filter(name => name !== 'id')
  }
  const groups = Map.groupBy(distributed, ({ column }) => column)
  const columns = [...groups.keys()].filter(column => column !== 'id')
  for (const column of columns) {
    const placed =
      column === 'store_id'
        ? [...(groups.get(column) ?? []), ...(groups.get('id') ?? [])]
        : (groups.get(column) ?? [])
    assert.deepEqual(told(`distributed by \`${column}\``).sort(), placed.map(({ table }) => table).sort())
  }
  assert.deepEqual(told('reference tables').sort(), reference.toSorted())
  assert.deepEqual(told('on the coordinator').sort(), onCoordinator.toSorted())
})

const superuser = async (): Promise<boolean> => {
  const [own] = await administer(url, 'select rolsuper from pg_roles where rolname = current_user')
  return own?.['rolsuper'] === true
}

test('migrate --citus places every table once and frees its rows on the coordinator; again, it changes nothing', async t => {
  if (!(await superuser())) return t.skip('needs a role that may write to the catalogue')
  // Citus does not run here. These take its place, and keep what they were asked.
  await administer(
    url,
    `set allow_system_table_mods = on;
     insert into apps (id, name, scope, redirect_uris, public, created_at) values ('a', '', '', '[]', false, 1);
     create table pg_dist_local_group (groupid int);
     insert into pg_dist_local_group values (0);
     create table asked (command text);
     create table node_settings (setting text);
     insert into node_settings values ('60000'), ('5000');
     create function run_command_on_all_nodes(command text) returns table (success boolean, result text)
       language plpgsql as $$ begin
         insert into asked values (command);
         return query select true, setting from node_settings;
       end $$;
     create function truncate_local_data_after_distributing_table(name regclass) returns void language plpgsql as
       $$ begin
         insert into asked values ('free ' || name);
         if name = 'apps'::regclass then truncate apps cascade; end if;
       end $$;
     insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
       values (99999, 'citus', 10, 'public'::regnamespace, false, '13.2');
     create table pg_dist_partition (logicalrelid regclass, partmethod char, repmodel char, colocated text);
     create function citus_add_local_table_to_metadata(name regclass) returns void language sql as
       $$insert into pg_dist_partition values (name, 'n', 's', null)$$;
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
  assert.deepEqual((await migrate(url, { citus: true })).todo, [])
  const once = [...(await placed())].map(row => ({ ...row }))
  const expected = [
    ...reference.map(name => ({ name, method: 'n', colocated: null })),
    ...distributed.map(({ table, column, with: group }) => ({
      name: table,
      method: 'h',
      colocated: `${column} with ${group}`,
    })),
    ...onCoordinator.map(name => ({ name, method: 'n', colocated: null })),
  ]
  assert.deepEqual(once, expected)
  const asked = async () => (await administer(url, 'select command from asked')).map(({ command }) => command)
  const changes = (await asked()).filter(command => !command.startsWith('select setting'))
  assert.ok(changes.includes('free apps'), 'apps had a row')
  assert.ok(!changes.includes('free orders'), 'orders had none')
  assert.deepEqual(changes.slice(-2), [
    'alter system set citus.recover_2pc_interval = 5000',
    'select pg_reload_conf()',
  ])
  await administer(url, `update node_settings set setting = '5000'`)
  await migrate(url, { citus: true })
  assert.equal((await placed()).length, once.length)
  const again = (await asked()).slice(changes.length + 1)
  assert.ok(!again.some(command => /free apps|alter system/.test(command)), again.join())
})

test('doctor names the tables without a place and nodes that recover late; migrate says what a superuser must run', async t => {
  if (!(await superuser())) return t.skip('needs the database of the test before')
  assert.deepEqual((await examine(url)).cluster, { nodes: 2, remarks: [] })
  await administer(
    url,
    `update node_settings set setting = '60000'; delete from pg_dist_partition where logicalrelid = 'keys'::regclass;
     create or replace function run_command_on_all_nodes(command text)
       returns table (success boolean, result text) language sql as
       $$select command not like 'alter%', setting from node_settings$$`,
  )
  const remarks = (await examine(url)).cluster?.remarks ?? []
  assert.deepEqual(
    remarks.map(({ severity }) => severity),
    ['warning', 'warning'],
  )
  assert.match(remarks[0]?.message ?? '', /not distributed: keys$/)
  assert.match(remarks[1]?.remedy ?? '', /alter system set citus.recover_2pc_interval = 5000/)
  const { todo = [] } = await migrate(url, { citus: true })
  assert.match(todo.join('\n'), /alter system set citus.recover_2pc_interval = 5000[^]*pg_reload_conf/)
})

test('the schema of a Citus worker is not migrated: its new tables would exist there alone', async t => {
  if (!(await superuser())) return t.skip('needs the database of the test before')
  await administer(url, 'update pg_dist_local_group set groupid = 1')
  await migrate(url)
  await administer(
    url,
    'delete from schema_migrations where number = (select max(number) from schema_migrations)',
  )
  await assert.rejects(migrate(url), /Citus worker.*tillgate migrate --citus.*coordinator/)
})
