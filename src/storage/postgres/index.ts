import { systemClock } from '../../lib/clock.ts'
import type { Storage } from '../port.ts'
import { createAccounts } from './accounts.ts'
import { createApps } from './apps.ts'
import { createAudit } from './audit.ts'
import { createArtifacts } from './artifacts.ts'
import { createAuthorizations } from './authorizations.ts'
import { createBrowse } from './browse.ts'
import { distribute } from './citus.ts'
import { createClients } from './clients.ts'
import { type Database, openDatabase } from './database.ts'
import { createItems } from './items.ts'
import { createKeys } from './keys.ts'
import { createList } from './list.ts'
import type { ListShape } from './list-sql.ts'
import type { Migrated } from '../migrations.ts'
import { migrate } from './migrate.ts'
import { createOrders } from './orders.ts'
import { createRecords } from './records.ts'
import { createReplica } from './replica.ts'
import { createReplicaReader } from './replica-read.ts'
import { createReplicatedList } from './replicated-list.ts'
import { createRevokedTokens } from './revoked-tokens.ts'
import { createSales } from './sales.ts'
import { createSessions } from './sessions.ts'
import { type PostgresOptions, readSettings, type Settings } from './settings.ts'
import { createStores } from './stores.ts'
import { createSwitches } from './switches.ts'
import { createThrottles } from './throttles.ts'
import { createTurns } from './turns.ts'
import { createUpkeep } from './upkeep.ts'
import { createUsage } from './usage.ts'

/** Connects to the database, creating or migrating its schema as needed. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Storage> {
  const { read_database, read_staleness = 0, notice = () => {} } = options
  const settings = readSettings(url, options)
  const { db } = await openMigrated(settings)
  const replica = read_database ? createReplica(db, readSettings(read_database, options), notice) : null
  const reader = replica && createReplicaReader(db, replica, read_staleness)
  const list = (shape: ListShape) =>
    reader ? createReplicatedList(db, reader, shape) : createList(db, shape)
  const upkeep = createUpkeep(db)
  return {
    accounts: createAccounts(db),
    sessions: createSessions(db),
    apps: createApps(db),
    authorizations: createAuthorizations(db),
    artifacts: createArtifacts(db),
    revokedTokens: createRevokedTokens(db),
    keys: createKeys(db),
    clients: createClients(db),
    throttles: createThrottles(db),
    stores: createStores(db),
    orders: createOrders(list),
    items: createItems(list),
    sales: createSales(db, reader),
    records: createRecords(db, createTurns(settings.statement_timeout)),
    audit: createAudit(db),
    browse: createBrowse(db),
    switches: createSwitches(db),
    usage: createUsage(db),
    ...upkeep,
    async close() {
      replica?.close()
      await upkeep.close()
    },
  }
}

/** `citus`: also spreads the tables over the workers. */
export async function migratePostgres(
  url: string,
  options: PostgresOptions & { citus?: boolean } = {},
): Promise<Migrated> {
  const { db, migrated } = await openMigrated(readSettings(url, options))
  try {
    if (options.citus) await distribute(db)
    return migrated
  } finally {
    db.close()
  }
}

async function openMigrated(settings: Settings): Promise<{ db: Database; migrated: Migrated }> {
  const db = await openDatabase(settings)
  try {
    return { db, migrated: await migrate(db, systemClock.now()) }
  } catch (error) {
    db.close()
    throw error
  }
}
