import { userInfo } from 'node:os'
import { readConfig } from '../config.ts'
import { type By, byCommand as commandBy } from '../domain/audit/audit.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { printable } from '../lib/printable.ts'
import type { Storage } from '../storage/port/index.ts'

/** Opens the configured database for one command, and closes it whatever happens. */
export async function withStorage<T>(use: (storage: Storage) => Promise<T>): Promise<T> {
  const config = readConfig()
  // Loaded here: help and bad use need no database.
  const { openStorage } = await import('../storage/open.ts')
  const storage = await openStorage(config.database, config)
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

/** The same for a command that stores records. */
export async function withIngest<T>(use: (ingest: Ingest) => Promise<T>): Promise<T> {
  const { createIngestPool } = await import('../ingest/threads/pool.ts')
  // Opened here first: the schema is brought up to date once, and what is wrong with the database is told at once.
  return withStorage(async () => {
    const config = readConfig()
    const ingest = createIngestPool({ database: config.database, threads: 2, storage: config })
    try {
      return await use(ingest)
    } finally {
      await ingest.close()
    }
  })
}

/** Who runs a command, for the audit log: the user of this machine, who need not have a name. */
export function byCommand(): By {
  try {
    return commandBy(userInfo().username)
  } catch {
    return commandBy(`user ${process.getuid?.() ?? 'unknown'}`)
  }
}

/** A command's result on stdout: for a script as one line of JSON, for a person as text. */
export function print(json: boolean | undefined, result: object, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(result) : text}\n`)
}

/** What a person should know beside the result; never part of it. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function complain(error: unknown): void {
  note(`tillgate: ${oneLine(error instanceof Error ? messageOf(error) : String(error))}`)
}

/** An AggregateError (every address of a host refused) has no message of its own, but its parts do. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : []
  return first instanceof Error ? messageOf(first) : error.name
}

export const oneLine = (text: string): string => printable(text.trim().replace(/\s*\n\s*/g, ' '))
