import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy, isDamaged } from './errors.ts'

/** The files that SQLite keeps beside a database, and that belong to it alone. */
export const companions = ['-wal', '-shm', '-journal']

/** A database file that no other process uses until the release. */
export interface Hold {
  /** Whether there is a database at all. */
  exists: boolean
  release(): void
}

/** Throws when another process has the database open. */
export function holdAlone(file: string): Hold {
  if (!existsSync(file)) return { exists: false, release() {} }
  const connection = new DatabaseSync(file, { timeout: 1000 })
  try {
    // Only a single connection may leave WAL mode. The file is then complete without a -wal file. And a process that
    // opened it before the replacement cannot write a log beside the new file: SQLite finds that its file has moved.
    connection.exec('pragma journal_mode = delete; begin exclusive')
    if (connection.prepare('pragma journal_mode').get()?.['journal_mode'] !== 'delete') throw inUse(file)
    return { exists: true, release: () => connection.close() }
  } catch (error) {
    connection.close()
    if (isBusy(error) || (isDamaged(error) && isLocked(file))) throw inUse(file)
    // A damaged file cannot be locked, and no server starts on it.
    if (isDamaged(error)) return { exists: true, release() {} }
    throw error
  }
}

const inUse = (file: string): Error =>
  new Error(`another process uses the database ${file}; stop every server and command that uses it first`)

/** Whether a process holds a lock on the file, as SQLite does while it has a database open; where Linux tells it. */
function isLocked(file: string): boolean {
  try {
    const locks = readFileSync('/proc/locks', 'utf8')
    return ['', ...companions]
      .flatMap(suffix => statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.ino ?? [])
      .some(inode => locks.includes(`:${inode} `))
  } catch {
    return false
  }
}

/**
 * Gives a finished file the place of a held one, and returns the path under which the former one is kept. At every
 * moment the path has one of the two.
 */
export function replaceFile(file: string, by: string, { exists }: Hold, now: number): string | null {
  const kept = unusedName(`${file}.replaced-${stamp(now)}`)
  const left = companions.filter(suffix => existsSync(`${file}${suffix}`))
  if (exists) keep(file, kept)
  // A log of the former file would be applied to the new one.
  for (const suffix of left) renameSync(`${file}${suffix}`, `${kept}${suffix}`)
  if (exists) renameSync(by, file)
  else if (!publish(by, file)) throw new Error(`${file} was created meanwhile; nothing was restored`)
  flushFolder(dirname(file))
  return exists ? kept : null
}

/** A second name; the first is replaced later. */
function keep(file: string, kept: string): void {
  try {
    linkSync(file, kept)
  } catch {
    // The file system has no hard links.
    renameSync(file, kept)
  }
}

/** Gives a finished file its name; false when a file with that name exists by now. The caller deletes the temporary name. */
export function publish(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file)
  } catch {
    if (existsSync(file)) return false
    // The file system has no hard links.
    renameSync(temporary, file)
  }
  return true
}

/** 20261116T073347Z */
const stamp = (now: number): string => new Date(now * 1000).toISOString().replace(/[-:]|\.\d+/g, '')

function unusedName(wanted: string): string {
  let name = wanted
  for (let next = 2; existsSync(name); next++) name = `${wanted}-${next}`
  return name
}

/** The new names are durable only when their folder is. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
