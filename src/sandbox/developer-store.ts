import { createHash } from 'node:crypto'
import type { Apps } from '../domain/apps/apps.ts'
import type { By } from '../domain/audit/audit.ts'
import { storeRecords } from '../demo/records.ts'
import type { RecordWriter } from '../ingest/record-writer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Account, Storage } from '../storage/port/index.ts'

/** On a sandbox server, every developer has a store with sample data, which their apps may read. */
export interface DeveloperStores {
  /** Lets an app of the account read it. The first app makes the store. */
  authorize(account: Account, app_id: string, by: By): Promise<void>
}

const sample = { orders: 300, days: 30 }

/** Derived from the account, so that nothing else is stored. The ids of its items, 1000 times as large, stay below 2^53. */
function storeId({ id }: Account): number {
  const number = createHash('sha256').update(`sandbox store ${id}`).digest().readUIntBE(0, 6)
  return 1_000_000_000_000 + (number % 8_000_000_000_000)
}

export function createDeveloperStores({
  storage,
  clock,
  writer,
  apps,
}: {
  storage: Pick<Storage, 'stores'>
  clock: Clock
  writer: RecordWriter
  apps: Apps
}): DeveloperStores {
  /** Makes the account's store if it does not exist; returns its id. */
  async function prepare(account: Account, by: By): Promise<bigint> {
    const id = storeId(account)
    if (await storage.stores.exists(BigInt(id))) return BigInt(id)
    const seed = id % 1_000_000
    const end = Math.floor(clock.now() / 3600) * 3600
    const records = storeRecords(
      { ...sample, stores: 1, seed, end },
      { id, name: `Sandbox of ${account.email.slice(0, 80)}` },
    )
    // One transaction: a store without its data would look complete.
    const lines = [...records].map((record, index) => ({ line: index + 1, text: JSON.stringify(record) }))
    await writer.write(lines, by)
    return BigInt(id)
  }

  return {
    async authorize(account, app_id, by) {
      await apps.authorize(app_id, [await prepare(account, by)], by)
    },
  }
}
