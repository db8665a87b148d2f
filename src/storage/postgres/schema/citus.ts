import type { Database } from '../connection/database.ts'

/**
 * Where Citus keeps each table; no other file says it. Every table can be used from the coordinator and from any
 * worker, so a Tillgate node may be connected to any of them.
 *
 * A reference table has a copy on each worker, and a write goes to all copies: tables that change rarely, and those that
 * the access check joins with a store.
 */
export const reference = [
  'accounts',
  'apps',
  'authorizations',
  'revoked_tokens',
  'keys',
  'switches',
  'brand',
  'schema_migrations',
  'feed',
  'feed_servers',
  'webhook_endpoints',
]

interface Placement {
  table: string
  /** The distribution column: a statement that names its value goes to one shard. */
  column: string
  /** The table whose rows of the same value are on the same worker. */
  with: string
}

const tablesOf = (group: string, column: string, tables: readonly string[]): Placement[] =>
  tables.map(table => ({ table, column, with: group }))

/**
 * All rows of a store are on one worker; `stores` too, because every batch raises its versions. Secrets and request
 * figures are by app, webhook deliveries by endpoint. Codes, refresh tokens, sessions and throttles are written often and read by their own key.
 */
export const distributed: readonly Placement[] = [
  { table: 'stores', column: 'id', with: 'none' },
  ...tablesOf('stores', 'store_id', [
    'authorization_stores',
    'activations',
    'items',
    'orders',
    'sales_rollups',
    'receipts',
    'usage_reads',
    'webhook_positions',
  ]),
  { table: 'app_secrets', column: 'app_id', with: 'none' },
  ...tablesOf('app_secrets', 'app_id', ['usage_requests', 'request_log']),
  { table: 'artifacts', column: 'hash', with: 'app_secrets' },
  { table: 'sessions', column: 'hash', with: 'app_secrets' },
  { table: 'two_factor', column: 'account_id', with: 'app_secrets' },
  { table: 'logos', column: 'owner_id', with: 'app_secrets' },
  { table: 'throttles', column: 'key', with: 'app_secrets' },
  { table: 'webhook_sender', column: 'key', with: 'none' },
  { table: 'webhook_deliveries', column: 'endpoint_id', with: 'app_secrets' },
  { table: 'usage_ingest', column: 'width', with: 'none' },
]

/**
 * Kept on the coordinator, and read and written through any node. Citus allows no trigger on other tables, and triggers
 * make the audit log append-only.
 */
export const onCoordinator = ['audit_entries']

/**
 * The longest that a change may be missing on a worker whose connection was lost at COMMIT PREPARED: Citus completes it
 * at this interval, by default after a minute.
 */
const recovery = { setting: 'citus.recover_2pc_interval', most: 5000 }

/** For a superuser, on the coordinator. ALTER SYSTEM cannot run in a transaction. */
export const setRecovery = [
  `select * from run_command_on_all_nodes('alter system set ${recovery.setting} = ${recovery.most}')`,
  `select * from run_command_on_all_nodes('select pg_reload_conf()')`,
]

type Queries = Pick<Database, 'query'>

export interface Cluster {
  nodes: number
  /** Tables without a place. */
  missing: string[]
  /** Whether every node answers and recovers in time. */
  recovers: boolean
}

/** Null on a server without Citus. */
export async function readCluster(db: Queries): Promise<Cluster | null> {
  const [extension] = await db.query(`select 1 from pg_extension where extname = 'citus'`)
  if (!extension) return null
  // Citus also lists local tables with a foreign key to a reference table, as partmethod n, repmodel s.
  const listed = await db.query<{ table: string; local: boolean }>(
    `select logicalrelid::regclass::text as "table", partmethod = 'n' and repmodel = 's' as local
     from pg_dist_partition`,
  )
  const placed = new Set(
    listed.filter(({ table, local }) => !local || onCoordinator.includes(table)).map(({ table }) => table),
  )
  const nodes = await db.query<{ success: boolean; result: string }>(
    `select success, result from run_command_on_all_nodes(
       $$select setting from pg_settings where name = '${recovery.setting}'$$)`,
  )
  return {
    nodes: nodes.length,
    missing: [...reference, ...distributed.map(({ table }) => table), ...onCoordinator].filter(
      table => !placed.has(table),
    ),
    recovers: nodes.every(
      ({ success, result }) => success && Number(result) > 0 && Number(result) <= recovery.most,
    ),
  }
}

/**
 * Places the tables, frees the rows that Citus leaves on the coordinator and sets the recovery interval. Safe to repeat:
 * it skips what is done. Returns the statements that are left to a superuser.
 */
export async function distribute(db: Database): Promise<string[]> {
  const cluster = await readCluster(db)
  if (!cluster) {
    throw new Error(
      'the database has no Citus: install it on the server and run CREATE EXTENSION citus in this database first',
    )
  }
  const run = (call: string) => db.write(tx => tx.script(`select ${call}`), { unlimited: true })
  const isMissing = (table: string) => cluster.missing.includes(table)
  for (const table of reference.filter(isMissing)) await run(`create_reference_table('${table}')`)
  // Citus distributes no table with a trigger.
  if (isMissing('stores')) await db.write(tx => tx.script('drop trigger if exists stores_seq on stores'))
  for (const { table, column, with: group } of distributed.filter(({ table }) => isMissing(table))) {
    await run(`create_distributed_table('${table}', '${column}', colocate_with => '${group}')`)
  }
  for (const table of onCoordinator.filter(isMissing))
    await run(`citus_add_local_table_to_metadata('${table}')`)
  for (const table of await tablesWithLocalRows(db))
    await run(`truncate_local_data_after_distributing_table('${table}')`)
  return cluster.recovers || (await recoverSooner(db)) ? [] : setRecovery
}

/** Citus copies the rows of a table to its shards, and leaves them on the coordinator too. */
async function tablesWithLocalRows(db: Queries): Promise<string[]> {
  // Only these: TRUNCATE waits for every transaction on the table, and others wait for it.
  const rows = await db.query<{ table: string }>(
    `select name as "table" from unnest($1::text[]) as name where pg_relation_size(name::regclass) > 0`,
    [[...reference, ...distributed.map(({ table }) => table)]],
  )
  return rows.map(({ table }) => table)
}

async function recoverSooner(db: Queries): Promise<boolean> {
  for (const statement of setRecovery) {
    const nodes = await db.query<{ success: boolean }>(statement)
    if (nodes.some(({ success }) => !success)) return false
  }
  return true
}
