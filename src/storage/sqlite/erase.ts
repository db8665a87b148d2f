import { rmSync } from 'node:fs'
import { companions, holdAlone } from './connection/replace.ts'

/** Deletes a database file that no process uses. */
export function eraseSqlite(file: string): void {
  const hold = holdAlone(file)
  try {
    for (const suffix of ['', ...companions]) rmSync(`${file}${suffix}`, { force: true })
  } finally {
    hold.release()
  }
}
