import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** The check of a larger file takes too long at each start; `tillgate doctor` checks any size. */
const maxCheckedSize = 64 * 1024 * 1024

/**
 * Throws when this user may not write the database: SQLite reports it only at the first write, or not clearly. Without
 * opening the file, because closing it again would end SQLite's locks (createFile in database.ts).
 */
export function assertWritable(file: string): void {
  try {
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw refusal(error, `the database file ${file}`, 'give this user the right to read and write it')
  }
  const folder = dirname(file)
  try {
    // A missing folder is created later.
    if (existsSync(folder)) accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw refusal(
      error,
      `the folder ${folder}`,
      'SQLite keeps its log beside the database, so give this user the right to write there',
    )
  }
}

function refusal(error: unknown, what: string, advice: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'EROFS') return new Error(`${what} is on a read-only file system`, { cause: error })
  if (!['EACCES', 'EPERM'].includes(code)) return error
  const who = process.getuid === undefined ? '' : ` (uid ${process.getuid()})`
  return new Error(`this user${who} may not write to ${what}: ${advice}`, { cause: error })
}

/** Throws when the structure of the file is damaged. */
export function assertIntact(connection: DatabaseSync, file: string): void {
  if (statSync(file).size > maxCheckedSize) return
  const [problem] = connection
    .prepare('pragma quick_check(1)')
    .all()
    .map(row => String(Object.values(row)[0]))
  if (problem !== 'ok') throw damaged(file, problem)
}

/** Replaces SQLite's short message for an unreadable file with one that says what to do. */
export function explain(error: unknown, file: string): unknown {
  const { errcode, message } = error as { errcode?: number; message: string }
  const primary = (errcode ?? 0) & 0xff
  if (primary === 11) return damaged(file, message, error)
  if (primary === 26)
    return new Error(`${file} is not a SQLite database, or its header is damaged`, { cause: error })
  return error
}

const damaged = (file: string, how = '', cause?: unknown): Error =>
  new Error(
    `the database ${file} is damaged (${how.replaceAll('\n', ' ')}); restore a backup: docs/operations.md`,
    { cause },
  )
