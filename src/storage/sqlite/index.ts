import { existsSync } from 'node:fs'
import { systemClock } from '../../lib/clock.ts'
import type { Storage } from '../port/index.ts'
import { createAccess } from './apps/access.ts'
import { createAccounts } from './accounts/accounts.ts'
import { createApps } from './apps/apps.ts'
import { createAudit, createAuditWriter } from './accounts/audit.ts'
import { createArtifacts } from './apps/artifacts.ts'
import { createAuthorizations, createAuthorizationWriter, createRevocation } from './apps/authorizations.ts'
import { createBrandStore } from './accounts/brand.ts'
import { createBrowse } from './lists/browse.ts'
import { createChanges } from './changes/changes.ts'
import { createClients } from './apps/clients.ts'
import { createDecisions } from './apps/decisions.ts'
import { type Database, type DatabaseOptions, openDatabase } from './connection/database.ts'
import { createItems } from './lists/items.ts'
import { createKeys } from './apps/keys.ts'
import type { Migrated } from '../shared/migrations.ts'
import { assertMigrated, inspect, migrate } from './schema/migrate.ts'
import { createLogos } from './apps/logos.ts'
import { createOrders } from './lists/orders.ts'
import { createRecords } from './records/records.ts'
import { createRevokedTokens } from './apps/revoked-tokens.ts'
import { createSales } from './lists/sales.ts'
import { createSessions } from './accounts/sessions.ts'
import { createTwoFactors } from './accounts/two-factor.ts'
import { createStores } from './lists/stores.ts'
import { createSwitches } from './accounts/switches.ts'
import { createThrottles } from './accounts/throttles.ts'
import { createMaintenance } from './maintenance.ts'
import { createUsage } from './usage/usage.ts'
import { createOutbox } from './webhooks/outbox.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

/** Opens the file, creating or migrating it as needed. */
export async function openSqlite(
  file: string,
  { migrated = false, ...options }: DatabaseOptions & { migrated?: boolean } = {},
): Promise<Storage> {
  const db = migrated ? await openExisting(file, options) : (await openMigrated(file, options)).db
  const access = createAccess(db)
  const writeAudit = createAuditWriter(db)
  const recordChanges = createOutbox(db)
  const saveAuthorization = createAuthorizationWriter(db, recordChanges)
  return {
    accounts: createAccounts(db, writeAudit, createRevocation(db, recordChanges)),
    sessions: createSessions(db, writeAudit),
    twoFactors: createTwoFactors(db, writeAudit),
    apps: createApps(db, writeAudit),
    authorizations: createAuthorizations(db, writeAudit, saveAuthorization, recordChanges),
    decisions: createDecisions(db, writeAudit, saveAuthorization),
    artifacts: createArtifacts(db, writeAudit),
    revokedTokens: createRevokedTokens(db, writeAudit),
    keys: createKeys(db, writeAudit),
    clients: createClients(db),
    throttles: createThrottles(db),
    stores: createStores(db, access),
    orders: createOrders(db, access),
    items: createItems(db, access),
    sales: createSales(db, access),
    changes: createChanges(db, access, writeAudit),
    records: createRecords(db, writeAudit, recordChanges),
    audit: createAudit(db, writeAudit),
    browse: createBrowse(db),
    switches: createSwitches(db, writeAudit),
    brand: createBrandStore(db, writeAudit),
    logos: createLogos(db, writeAudit),
    usage: createUsage(db),
    webhooks: createWebhooks(db, writeAudit),
    ...createMaintenance(db, file),
  }
}

export async function migrateSqlite(file: string): Promise<Migrated> {
  const { db, migrated } = await openMigrated(file)
  db.connection.close()
  return migrated
}

async function openMigrated(
  file: string,
  options?: DatabaseOptions,
): Promise<{ db: Database; migrated: Migrated }> {
  inspect(file)
  const db = await openDatabase(file, options)
  try {
    return { db, migrated: await migrate(db, systemClock.now()) }
  } catch (error) {
    db.connection.close()
    throw error
  }
}

async function openExisting(file: string, options: DatabaseOptions): Promise<Database> {
  if (!existsSync(file)) throw new Error(`the database ${file} is gone`)
  const db = await openDatabase(file, options)
  try {
    await assertMigrated(db)
    return db
  } catch (error) {
    db.connection.close()
    throw error
  }
}
