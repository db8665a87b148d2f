import type { Database } from '../connection/database.ts'

/**
 * How the tables are spread over the workers of Citus. No other code in Tillgate depends on it.
 *
 * - The tables of a store are distributed by its id, all on one worker. `stores` is too: every batch raises its versions,
 *   and a reference table would send that write to all workers. `authorization_stores` and `activations` are too, so
 *   that a change of merchant, a batch and the access check stay on one worker.
 * - The access check joins apps, authorizations and revoked tokens with a store: these are reference tables, copied to
 *   each worker, and so are the accounts that they refer to. Registration, consent and revocation write them: rarely.
 * - All other tables stay on the coordinator, because no query joins them with a store's rows: sessions, secrets, keys,
 *   switches, the audit log, artifacts, throttles, the request log and the counters of requests and ingest.
 *
 * So one worker serves a page, the sales, a batch or an activation. The list of an app's stores, the stores of a
 * merchant, consent and revocation involve all workers.
 */
export const reference = ['accounts', 'apps', 'authorizations', 'revoked_tokens']
export const distributed = [
  { table: 'stores', column: 'id', with: 'none' },
  ...['authorization_stores', 'activations', 'items', 'orders', 'sales_rollups', 'usage_reads'].map(
    table => ({
      table,
      column: 'store_id',
      with: 'stores',
    }),
  ),
]

/** Safe to repeat: it skips a table that is already distributed. */
export async function distribute(db: Database): Promise<void> {
  const [extension] = await db.query(`select 1 from pg_extension where extname = 'citus'`)
  if (!extension) {
    throw new Error(
      'the database has no Citus: install it on the server and run CREATE EXTENSION citus in this database first',
    )
  }
  // Citus also lists local tables with a foreign key to a reference table, as partmethod n, repmodel s.
  const placed = await db.query<{ table: string }>(
    `select logicalrelid::regclass::text as "table" from pg_dist_partition
     where partmethod = 'h' or (partmethod = 'n' and repmodel = 't')`,
  )
  const done = new Set(placed.map(({ table }) => table))
  for (const table of reference.filter(table => !done.has(table))) {
    await db.write(tx => tx.script(`select create_reference_table('${table}')`), { unlimited: true })
  }
  for (const { table, column, with: group } of distributed.filter(({ table }) => !done.has(table))) {
    await db.write(
      tx =>
        tx.script(`select create_distributed_table('${table}', '${column}', colocate_with => '${group}')`),
      { unlimited: true },
    )
  }
}
