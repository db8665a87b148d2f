import {
  type Applied,
  type Migrated,
  type Migration,
  missingMigrations,
  newestOf,
  readMigrations,
  refuseOther,
  refuseUnmigrated,
} from '../../shared/migrations.ts'
import { numberingMigration, numberRows } from '../../shared/numbering.ts'
import type { Database } from '../connection/database.ts'
import { codeOf } from '../connection/errors.ts'
import type { Transaction } from '../connection/transaction.ts'
import { createNumbering } from './numbering.ts'

const readOwn = () => readMigrations(import.meta.dirname)

/** The same in every Tillgate: of several nodes that start at once, one migrates and the others wait. */
const lock = 'select pg_advisory_xact_lock(1414089799, 1)'

/** Each migration is a transaction that looks again under the lock whether it is missing. */
export async function migrate(db: Database, now: number): Promise<Migrated> {
  const migrations = readOwn()
  const applied = await db.write(appliedTo)
  const missing = missingMigrations(applied, migrations)
  if (missing.length > 0) await refuseWorker(db)
  for (const migration of missing) {
    if (migration.number === numberingMigration) await numberRows(createNumbering(db))
    await db.write(
      async tx => {
        await tx.script(lock)
        if (missingMigrations(await appliedTo(tx), migrations).includes(migration))
          await apply(tx, migration, now)
      },
      { unlimited: true },
    )
  }
  return { from: newestOf(applied), to: newestOf([...applied, ...missing]) }
}

/** Throws unless another connection has migrated the database. */
export const assertMigrated = (db: Database): Promise<void> =>
  db.write(async tx => refuseUnmigrated(await appliedTo(tx), readOwn()))

async function apply(tx: Transaction, { number, name, sql }: Migration, now: number): Promise<void> {
  await tx.script(`create table if not exists schema_migrations (
    number bigint primary key,
    name text not null,
    applied_at bigint not null
  )`)
  for (const statement of statementsOf(sql)) await tx.script(statement)
  tx.send('insert into schema_migrations (number, name, applied_at) values ($1, $2, $3)', [number, name, now])
}

/** One by one: Citus passes the text of a change to its workers, which accept one statement at a time. */
export const statementsOf = (sql: string): string[] =>
  (sql.match(/(--[^\n]*|\$\$[^]*?\$\$|'[^']*'|[^;])+/g) ?? []).filter(text => /^\s*[^-\s]/m.test(text))

/** On a worker of Citus, a new table would exist there alone. */
async function refuseWorker(db: Database): Promise<void> {
  const [citus] = await db.query(`select 1 from pg_extension where extname = 'citus'`)
  if (!citus) return
  const [worker] = await db.query('select 1 from pg_dist_local_group where groupid <> 0')
  if (!worker) return
  throw new Error(
    'the database is a Citus worker and its schema is not up to date; ' +
      'run "tillgate migrate --citus" with the address of the coordinator first',
  )
}

/** For a database that is only read and so cannot be migrated here. */
export async function refuseOlder(tx: Transaction): Promise<void> {
  refuseOther(newestOf(await appliedTo(tx)), readOwn())
}

async function appliedTo(tx: Transaction): Promise<Applied[]> {
  // Not to_regclass: its cache may be older than the lock.
  const [table] = await tx.query(
    `select 1 from pg_tables where tablename = 'schema_migrations' and schemaname = any (current_schemas(false))`,
  )
  if (!table) return []
  try {
    return [...(await tx.query<Applied>('select number, name from schema_migrations'))]
  } catch (error) {
    // Another program may have a table with this name and other columns.
    if (codeOf(error) !== '42703') throw error
    throw new Error('the database belongs to another program, which has its own table schema_migrations', {
      cause: error,
    })
  }
}
