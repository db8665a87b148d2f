import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * What tests start as a process of its own: the build of this run, which starts in half the CPU time, or the source;
 * `TEST_BUILD=$PWD` runs the source in any case.
 */
export const tillgateBin = join(process.env['TEST_BUILD'] ?? root, 'bin/tillgate.js')

/** Builds this clone as it is packed, for as long as this process runs; `TEST_BUILD` names the folder. */
export function buildOnce(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-build-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync(process.execPath, ['scripts/build-package.ts', join(folder, 'dist')], { cwd: root })
  for (const name of ['bin', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const name of ['docs', 'examples', 'node_modules']) symlinkSync(join(root, name), join(folder, name))
  process.env['TEST_BUILD'] = folder
}
