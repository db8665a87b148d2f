import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import type { Migrated } from '../shared/migrations.ts'
import { createFile, openDatabase } from './connection/database.ts'
import { isDiskFault, isDiskFull, translate } from './connection/errors.ts'
import { readOnlyLocation } from './connection/read-only.ts'
import { companions, type Hold, holdAlone, replaceFile } from './connection/replace.ts'
import { assertWritable, explain } from './connection/usable.ts'
import { assertOwnSchema, migrate } from './schema/migrate.ts'
import { separate } from './separate.ts'

export interface Restored extends Migrated {
  /** The path that the former database has now; null when there was none. */
  replaced: string | null
}

/**
 * Puts a backup in the place of the database. The copy is made, checked and migrated beside it and then renamed, so at
 * every moment the path has the former database or the whole new one, also after a crash or on a full disk.
 */
export async function restoreSqlite(database: string, from: string): Promise<Restored> {
  const file = existsSync(database) ? realpathSync(database) : database
  inspectBackup(from, file)
  mkdirSync(dirname(file), { recursive: true })
  assertWritable(file)
  const temporary = `${file}.${randomId()}.partial`
  const free = freeBytes(dirname(file))
  let hold: Hold | null = null
  try {
    // Held until the end, so that no server starts on a database that is about to be replaced.
    hold = holdAlone(file)
    await copy(from, temporary)
    const migrated = await prepare(temporary)
    giveToOwner(temporary, file)
    return { ...migrated, replaced: replaceFile(file, temporary, hold, systemClock.now()) }
  } catch (error) {
    throw fullDisk(error, { folder: dirname(file), free, needed: statSync(from).size }) ?? translate(error)
  } finally {
    for (const suffix of ['', ...companions]) rmSync(`${temporary}${suffix}`, { force: true })
    hold?.release()
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** SQLite's log of the last steps, which it also reports as a failed write. */
const besides = 4 * 1024 * 1024

/** What to do when the copy did not fit; null when the error is another one. */
function fullDisk(
  error: unknown,
  { folder, free, needed }: { folder: string; free: number; needed: number },
): Error | null {
  if (!isDiskFull(error) && !(isDiskFault(error) && free < needed + besides)) return null
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MB`
  return new Error(
    `the disk is full: restoring takes ${megabytes(needed + besides)} in ${folder}, which has ${megabytes(free)} free; ` +
      'delete what is not needed there, such as former databases (*.replaced-*), and restore again. Nothing was changed',
    { cause: error },
  )
}

/** Refuses, before anything is written, a file that is no backup of Tillgate or comes from a later version. */
function inspectBackup(from: string, file: string): void {
  const found = statSync(from, { throwIfNoEntry: false })
  if (!found) throw new Error(`there is no file ${from}`)
  if (found.isDirectory())
    throw new Error(`${from} is a folder; it must be a file that "tillgate backup" wrote`)
  const target = statSync(file, { throwIfNoEntry: false })
  if (target?.ino === found.ino && target.dev === found.dev) {
    throw new Error(`${from} is the database itself; name a backup of it`)
  }
  reading(from, connection => assertOwnSchema(connection, from))
}

async function copy(from: string, temporary: string): Promise<void> {
  createFile(temporary)
  const source = new DatabaseSync(readOnlyLocation(from), { readOnly: true, timeout: 1000 })
  try {
    // One snapshot: the copy never starts over when a server writes to the file meanwhile.
    source.exec('begin; select number from schema_migrations limit 1')
    await backup(source, temporary)
  } finally {
    source.close()
  }
  reading(temporary, connection => {
    const [found] = connection.prepare('pragma integrity_check(1)').all()
    const [says] = Object.values(found ?? {})
    if (says !== 'ok')
      throw new Error(`${from} is damaged (${String(says).replaceAll('\n', ' ')}); restore another backup`)
  })
}

/** Changes that the copy needs before a server may open it. Everything is in the file itself afterwards, on disk. */
async function prepare(temporary: string): Promise<Migrated> {
  const db = await openDatabase(temporary)
  try {
    const migrated = await migrate(db, systemClock.now())
    separate(db.connection)
    return migrated
  } finally {
    db.connection.exec('pragma wal_checkpoint(truncate)')
    db.connection.close()
    flush(temporary)
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function reading(file: string, check: (connection: DatabaseSync) => void): void {
  const connection = new DatabaseSync(readOnlyLocation(file), { readOnly: true, timeout: 1000 })
  try {
    check(connection)
  } catch (error) {
    throw explain(error, file)
  } finally {
    connection.close()
  }
}

/** Root may restore a database that another user's server opens. */
function giveToOwner(temporary: string, file: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(existsSync(file) ? file : dirname(file))
  chownSync(temporary, uid, gid)
}
