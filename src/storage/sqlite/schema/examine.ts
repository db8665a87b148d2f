import { closeSync, existsSync, openSync, readSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Examination, Remark } from '../../port/examination.ts'
import { readMigrations, schemaState } from '../../shared/migrations.ts'
import { appliedTo } from './migrate.ts'
import { readOnlyLocation } from '../connection/read-only.ts'
import { assertVersion, sqliteVersion } from '../connection/pragmas.ts'
import { assertWritable, explain } from '../connection/usable.ts'

/** Rejects when the file is missing or unreadable. `thorough` checks every entry of every index too. */
export async function examineSqlite(file: string, { thorough = false } = {}): Promise<Examination> {
  assertWritable(file)
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  // Before the connection: closing any descriptor of the file would end the locks of this process.
  const wal = isWal(file)
  const connection = new DatabaseSync(readOnlyLocation(file), { readOnly: true, timeout: 5000 })
  try {
    const schema = schemaState(appliedTo(connection), readMigrations(import.meta.dirname))
    const { current } = schema
    return {
      engine: 'SQLite',
      version: sqliteVersion(connection),
      schema,
      durability: [
        ...versionRemarks(connection),
        ...modeRemarks(wal, current),
        ...damage(connection, thorough),
      ],
      clock: null,
      signing_since: current === 0 ? null : signingSince(connection),
      connections: null,
      cluster: null,
      disk: space(dirname(file)),
    }
  } catch (error) {
    throw explain(error, file)
  } finally {
    connection.close()
  }
}

function versionRemarks(connection: DatabaseSync): Remark[] {
  try {
    assertVersion(sqliteVersion(connection))
    return []
  } catch (error) {
    return [
      {
        severity: 'problem',
        message: (error as Error).message,
        remedy: 'run the Node that comes with `npm ci`',
      },
    ]
  }
}

function modeRemarks(wal: boolean, current: number): Remark[] {
  if (wal || current === 0) return []
  const message = 'the journal mode is not wal: readers and writers wait for each other'
  return [
    {
      severity: 'warning',
      message,
      remedy: 'start the server once, which sets wal; a backup tool may have changed it',
    },
  ]
}

/** By its header (https://sqlite.org/fileformat.html#file_format_version_numbers): `immutable` hides the mode. */
function isWal(file: string): boolean {
  const header = Buffer.alloc(20)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, header, 0, header.length, 0)
  closeSync(descriptor)
  return header[18] === 2
}

function damage(connection: DatabaseSync, thorough: boolean): Remark[] {
  const [found] = connection.prepare(thorough ? 'pragma integrity_check(1)' : 'pragma quick_check(1)').all()
  const [message] = Object.values(found ?? {})
  if (message === 'ok') return []
  return [
    {
      severity: 'problem',
      message: `the file is damaged: ${message}`,
      remedy: 'restore a backup: docs/operations.md',
    },
  ]
}

const signingSince = (connection: DatabaseSync): number | null =>
  (connection
    .prepare(`select max(created_at) as since from keys where use = 'sign' and retired_at is null`)
    .get()?.['since'] as number | null | undefined) ?? null

function space(folder: string): Examination['disk'] {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { folder, free: bavail * bsize, total: blocks * bsize }
}
