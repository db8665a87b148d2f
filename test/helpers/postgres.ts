import { after } from 'node:test'
import postgres from 'postgres'
import { administer } from './postgres-admin.ts'
import { createServer, type PostgresServer } from './postgres-server.ts'

let own: Promise<PostgresServer> | null = null
let count = 0
const made: { administration: string; name: string }[] = []
const emptying = new Map<string, postgres.Sql>()
// Here, where it belongs to the whole file: within a test or a hook it would run at the end of that.
after(async () => {
  // At most a second: its server may be gone.
  await Promise.all([...emptying.values()].map(sql => sql.end({ timeout: 1 })))
  for (const { administration, name } of made) {
    // Each takes a checkpoint; a server of our own goes with all its databases.
    if (administration === process.env['TEST_DATABASE'] && process.env['TEST_DATABASE_IS_OURS']) continue
    await administer(administration, `drop database if exists ${name} with (force)`)
  }
  await (await own)?.remove()
})

/**
 * The URL of a running server: the one that TEST_DATABASE names, which `npm test` starts once for all files
 * (global-setup.ts), or one started here when a file is run by itself.
 */
export async function startPostgres(): Promise<string> {
  const given = process.env['TEST_DATABASE']
  if (given) return given
  own ??= startOwn()
  return (await own).url
}

async function startOwn(): Promise<PostgresServer> {
  const server = await createServer()
  await server.start()
  return server
}

/** The URL of a database without a table, which is dropped when the test process ends. */
export const freshDatabase = async (server?: string): Promise<string> =>
  createDatabase(server ?? (await startPostgres()))

/** The same with the schema: a copy of a migrated database is made in half the time of a migration. */
export const migratedDatabase = async (): Promise<string> =>
  createDatabase(await startPostgres(), process.env['TEST_TEMPLATE'])

async function createDatabase(administration: string, template?: string): Promise<string> {
  const name = `tillgate_test_${process.pid}_${++count}`
  await administer(administration, `create database ${name}${template ? ` template ${template}` : ''}`)
  made.push({ administration, name })
  return new URL(name, administration).href
}

let emptied: string | null = null

/**
 * For a file that opens a database for each test and closes it before the next: the same again, with nothing in it. That
 * takes a third of the time of a new one.
 */
export async function emptiedDatabase(): Promise<string> {
  if (emptied === null) emptied = await freshDatabase()
  else await emptyTables(emptied)
  return emptied
}

/** Over a connection that stays open: a new one takes longer than the rest. */
export async function emptyTables(url: string): Promise<void> {
  let sql = emptying.get(url)
  if (!sql) {
    sql = postgres(url, { max: 1, onnotice: () => {} })
    emptying.set(url, sql)
  }
  await sql.unsafe(
    `do $$ declare tables text; guarded regclass; begin
       select string_agg(oid::regclass::text, ', ') into tables from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not in ('schema_migrations', 'feed', 'feed_servers', 'webhook_sender')
         and pg_relation_size(oid) > 0;
       update webhook_sender set paused = false, watermark = 0;
       if tables is null then return; end if;
       -- The audit log refuses to lose a row.
       for guarded in select distinct tgrelid from pg_trigger where not tgisinternal loop
         execute format('alter table %s disable trigger user', guarded);
       end loop;
       execute 'truncate ' || tables || ' restart identity cascade';
       for guarded in select distinct tgrelid from pg_trigger where not tgisinternal loop
         execute format('alter table %s enable trigger user', guarded);
       end loop;
     end $$`,
  )
}
