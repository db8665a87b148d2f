import { execFileSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The oldest Node that can start Tillgate from a clone, and the first that can run it by itself. */
const bootstraps = 20
const runs = 24

/** A Node of this machine that can only start the Node that `npm ci` installs; null where there is none. */
export function findOldNode(): string | null {
  // npm puts the installed Node's folder in front of the machine's own.
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('node_modules'))
  for (const node of folders.map(folder => join(folder, 'node'))) {
    const version = majorOf(node)
    if (version >= bootstraps && version < runs) return node
  }
  return null
}

function majorOf(node: string): number {
  try {
    return Number(execFileSync(node, ['-p', 'parseInt(process.versions.node)'], { stdio: 'pipe' }))
  } catch {
    return 0
  }
}
