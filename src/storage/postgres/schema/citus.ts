import type { Database } from '../connection/database.ts'

/**
 * How the tables are spread over the workers of Citus; nothing else in Tillgate knows of it.
 *
 * - What belongs to a store is distributed by it, all on the same worker. `stores` itself too, by its id: every batch
 *   raises its versions, and a reference table would take that write to all workers at once. `authorization_stores`
 *   and `activations` too, so that a store's new merchant, a batch and the access question stay on one worker.
 * - What the access question joins with a store must be wherever the store is: apps, authorizations and revoked
 *   tokens are reference tables, copied to each worker, as are accounts, which they point to. All are written rarely:
 *   by registration, consent and revocation.
 * - The rest stays on the coordinator: sessions, secrets, keys, switches, the audit log, artifacts (a write for each
 *   token), throttles (a write for each failure), the request log and the counters of requests and ingest (a write
 *   every few seconds from each process) are never joined with a store's rows.
 *
 * So a page, the sales, a batch and an activation are each the matter of one worker. The list of an app's stores, the
 * stores of a merchant, consent and revocation ask all of them.
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

/** May be repeated: a table that is in place already is left alone. */
export async function distribute(db: Database): Promise<void> {
  const [extension] = await db.query(`select 1 from pg_extension where extname = 'citus'`)
  if (!extension) {
    throw new Error(
      'the database has no Citus: install it on the server and run CREATE EXTENSION citus in this database first',
    )
  }
  // A foreign key to a reference table enters a local table here too, as partmethod n, repmodel s.
  const placed = await db.query<{ table: string }>(
    `select logicalrelid::regclass::text as "table" from pg_dist_partition
     where partmethod = 'h' or (partmethod = 'n' and repmodel = 't')`,
  )
  const done = new Set(placed.map(({ table }) => table))
  for (const table of reference.filter(table => !done.has(table))) {
    await db.write(tx => tx.script(`select create_reference_table('${table}')`), { patient: true })
  }
  for (const { table, column, with: group } of distributed.filter(({ table }) => !done.has(table))) {
    await db.write(
      tx =>
        tx.script(`select create_distributed_table('${table}', '${column}', colocate_with => '${group}')`),
      { patient: true },
    )
  }
}
