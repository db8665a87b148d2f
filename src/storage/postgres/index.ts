import { systemClock } from '../../lib/clock.ts'
import type { Storage } from '../port/index.ts'
import { createAccounts } from './accounts/accounts.ts'
import { createApps } from './apps/apps.ts'
import { createAudit } from './accounts/audit.ts'
import { createArtifacts } from './apps/artifacts.ts'
import { createAuthorizations } from './apps/authorizations.ts'
import { createBrandStore } from './accounts/brand.ts'
import { createBrowse } from './lists/browse.ts'
import { createDecisions } from './apps/decisions.ts'
import { createChanges } from './changes/changes.ts'
import { distribute } from './schema/citus.ts'
import { createClients } from './apps/clients.ts'
import { type Database, openDatabase } from './connection/database.ts'
import { createItems } from './lists/items.ts'
import { createKeys } from './apps/keys.ts'
import { createList } from './lists/list.ts'
import type { ListShape } from './lists/list-sql.ts'
import type { Migrated } from '../shared/migrations.ts'
import { assertMigrated, migrate } from './schema/migrate.ts'
import { createLogos } from './apps/logos.ts'
import { createOrders } from './lists/orders.ts'
import { createRecords } from './records/records.ts'
import { createReplica } from './lists/replica.ts'
import { createReplicaReader, type ReplicaReader } from './lists/replica-read.ts'
import { createReplicatedList } from './lists/replicated-list.ts'
import { createRevokedTokens } from './apps/revoked-tokens.ts'
import { createSales } from './lists/sales.ts'
import { createSessions } from './accounts/sessions.ts'
import { createTwoFactors } from './accounts/two-factor.ts'
import { type PostgresOptions, readSettings, type Settings } from './connection/settings.ts'
import { createStores } from './lists/stores.ts'
import { createSwitches } from './accounts/switches.ts'
import { createThrottles } from './accounts/throttles.ts'
import { createStoreLimits } from './records/store-limits.ts'
import { createMaintenance } from './maintenance.ts'
import { createUsage } from './usage/usage.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

/** Connects to the database, creating or migrating its schema as needed. */
export async function openPostgres(
  url: string,
  { migrated = false, ...options }: PostgresOptions & { migrated?: boolean } = {},
): Promise<Storage> {
  const { read_database, read_staleness = 0, notice = () => {} } = options
  const settings = readSettings(url, options)
  const db = migrated ? await openExisting(settings) : (await openMigrated(settings)).db
  const replica = read_database ? createReplica(db, readSettings(read_database, options), notice) : null
  const reader = replica && createReplicaReader(db, replica, read_staleness)
  const storage = createStorage(db, settings, reader)
  return {
    ...storage,
    async close() {
      replica?.close()
      await storage.close()
    },
  }
}

/** `reader`: where list pages may come from besides the database. */
export function createStorage(
  db: Database,
  {
    statement_timeout,
    failover = 'lossy',
  }: Pick<Settings, 'statement_timeout'> & Partial<Pick<Settings, 'failover'>>,
  reader: ReplicaReader | null = null,
): Storage {
  const list = (shape: ListShape) =>
    reader ? createReplicatedList(db, reader, shape) : createList(db, shape)
  return {
    accounts: createAccounts(db),
    sessions: createSessions(db),
    twoFactors: createTwoFactors(db),
    apps: createApps(db),
    authorizations: createAuthorizations(db),
    decisions: createDecisions(db),
    artifacts: createArtifacts(db),
    revokedTokens: createRevokedTokens(db),
    keys: createKeys(db),
    clients: createClients(db),
    throttles: createThrottles(db),
    stores: createStores(db),
    orders: createOrders(db, list),
    items: createItems(list),
    sales: createSales(db, reader),
    changes: createChanges(db, { keepsHistory: failover === 'lossless' }),
    records: createRecords(db, createStoreLimits(statement_timeout)),
    audit: createAudit(db),
    browse: createBrowse(db),
    switches: createSwitches(db),
    brand: createBrandStore(db),
    logos: createLogos(db),
    usage: createUsage(db),
    webhooks: createWebhooks(db),
    ...createMaintenance(db),
  }
}

/** `citus`: also distributes the tables over the workers. */
export async function migratePostgres(
  url: string,
  options: PostgresOptions & { citus?: boolean } = {},
): Promise<Migrated> {
  const { db, migrated } = await openMigrated(readSettings(url, options))
  try {
    return options.citus ? { ...migrated, todo: await distribute(db) } : migrated
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

async function openExisting(settings: Settings): Promise<Database> {
  const db = await openDatabase(settings)
  try {
    await assertMigrated(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
