import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DemoOptions } from '../../demo/records.ts'
import type { Seconds } from '../../lib/clock.ts'
import { isPostgresUrl } from '../../lib/database-url.ts'
import { sha256 } from '../../lib/hash.ts'
import { randomId } from '../../lib/ids.ts'
import type { FilledDemo } from './fill.ts'

/** What a demo needs to start again with the same data, logins and secrets. Only `tillgate demo` writes it. */
export interface SavedDemo {
  /** While the database is being filled. */
  isFilling?: boolean
  options: DemoOptions
  /** Where its orders end. */
  until: Seconds
  filled: FilledDemo
  /** The webhook endpoint of Harbour Ledger, since it first ran. */
  webhook: { id: string; secret: string } | null
  /** The port that Harbour Ledger had last. */
  port: number
}

interface DemoFiles {
  saved: string
  /** The database of Harbour Ledger. */
  ledger: string
}

/** Beside a SQLite database; for PostgreSQL in ./data, named by its address without user and password. */
export function demoFiles(database: string): DemoFiles {
  const stem = isPostgresUrl(database) ? resolve('data', `demo-${postgresName(database)}`) : database
  return { saved: `${stem}.demo.json`, ledger: `${stem}.ledger` }
}

function postgresName(database: string): string {
  const url = URL.parse(database)
  const host = url?.host || url?.searchParams.get('host') || ''
  return sha256(`${host}${url?.pathname}`).replace(/\W/g, '').slice(0, 12)
}

/** Null when there is none, or another program's. */
export function readSaved(file: string): SavedDemo | null {
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<SavedDemo>
    return saved.filled?.ledger && saved.options ? (saved as SavedDemo) : null
  } catch {
    return null
  }
}

/** Before the database is filled: without the file, the demo could not start again. */
export function assertWritable(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    accessSync(dirname(file), constants.W_OK)
  } catch (error) {
    throw new Error(`the demo keeps its logins in ${file}, which cannot be written`, { cause: error })
  }
}

/** With passwords and secrets: readable by its owner alone, and whole at every moment. */
export function writeSaved(file: string, saved: SavedDemo): void {
  const temporary = `${file}.${randomId()}.partial`
  try {
    writeFileSync(temporary, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Of a running demo, whose orders go on. */
export function saveEnd(file: string, until: Seconds): void {
  const saved = readSaved(file)
  if (saved) writeSaved(file, { ...saved, until })
}

export function removeSaved({ saved, ledger }: DemoFiles): void {
  for (const file of [saved, ledger, `${ledger}-wal`, `${ledger}-shm`]) rmSync(file, { force: true })
}
