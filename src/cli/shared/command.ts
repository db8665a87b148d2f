import { userInfo } from 'node:os'
import { readConfig } from '../../config.ts'
import { type By, byCommand as commandBy } from '../../domain/audit/audit.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import type { Storage } from '../../storage/port/index.ts'

/** Opens the configured database for one command and closes it afterwards, also after an error. */
export async function withStorage<T>(use: (storage: Storage) => Promise<T>): Promise<T> {
  const config = readConfig()
  // Loaded on demand: help and usage errors need no database.
  const { openStorage } = await import('../../storage/open.ts')
  const storage = await openStorage(config.database, config)
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

/** Like withStorage, for a command that stores records. */
export async function withIngest<T>(use: (ingest: Ingest) => Promise<T>): Promise<T> {
  const { createIngestPool } = await import('../../ingest/threads/pool.ts')
  const { importHeap } = await import('../../ingest/threads/worker.ts')
  // Opened here before the threads open it: the schema is migrated once, and an unusable database fails immediately.
  return withStorage(async () => {
    const config = readConfig()
    const options = { database: config.database, threads: 2, storage: config, heap: importHeap }
    const ingest = createIngestPool(options)
    try {
      return await use(ingest)
    } finally {
      await ingest.close()
    }
  })
}

/** The author of a command for the audit log: the machine's user, by name or by number. */
export function byCommand(): By {
  try {
    return commandBy(userInfo().username)
  } catch {
    return commandBy(`user ${process.getuid?.() ?? 'unknown'}`)
  }
}
