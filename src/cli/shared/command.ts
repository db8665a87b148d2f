import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { readConfig } from '../../config.ts'
import { type By, byCommand as commandBy } from '../../domain/audit/audit.ts'
import { isPostgresUrl } from '../../lib/database-url.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import type { Storage } from '../../storage/port/index.ts'
import { note } from './output.ts'

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

/** Like withStorage, for a command about what a database holds: a new one is empty, and its path probably mistyped. */
export async function withStoredData<T>(use: (storage: Storage) => Promise<T>): Promise<T> {
  const { database } = readConfig()
  const isNew = !isPostgresUrl(database) && !existsSync(database)
  try {
    return await withStorage(use)
  } finally {
    if (isNew && existsSync(database))
      note(`there was no database ${database}, so an empty one was created; check TILLGATE_DATABASE`)
  }
}

/** Like withStorage, for a command that stores records. */
export async function withIngest<T>(use: (ingest: Ingest) => Promise<T>): Promise<T> {
  // Opened here before the threads open it: the schema is migrated once, and an unusable database fails immediately.
  return withStorage(async storage => {
    const ingest = await openIngest(storage)
    try {
      return await use(ingest)
    } finally {
      await ingest.close()
    }
  })
}

/** In threads, unless there are none by configuration. */
async function openIngest(storage: Storage): Promise<Ingest> {
  const { database, ingest_threads: threads, ...config } = readConfig()
  if (threads === 0) {
    const { createIngest } = await import('../../ingest/ingest.ts')
    const { createRecordWriter } = await import('../../ingest/record-writer.ts')
    return createIngest(createRecordWriter({ storage }))
  }
  const { createIngestPool } = await import('../../ingest/threads/pool.ts')
  const { importHeap } = await import('../../ingest/threads/worker.ts')
  return createIngestPool({ database, threads, storage: config, heap: importHeap })
}

/** The author of a command for the audit log: the machine's user, by name or by number. */
export function byCommand(): By {
  try {
    return commandBy(userInfo().username)
  } catch {
    return commandBy(`user ${process.getuid?.() ?? 'unknown'}`)
  }
}
