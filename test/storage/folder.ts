import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for database files, each named once. */
export function temporaryFolder(): { newFile(): string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tillgate-storage-'))
  let files = 0
  return {
    newFile: () => join(path, `${++files}.db`),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
