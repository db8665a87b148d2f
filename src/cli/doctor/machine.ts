import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Config } from '../../config.ts'
import { usedListeners } from '../../server/listen.ts'
import { type Check, ok, warning } from './check.ts'

/** The cores and open files that this machine gives to a server. */
export function machineChecks(config: Config): Check[] {
  return [workersCheck(config), ...filesChecks(config)]
}

function workersCheck({ workers }: Config): Check {
  const cores = availableParallelism()
  const message = `${workers} for ${cores} cores, Node ${process.versions.node}`
  if (workers <= cores) return ok('workers', message)
  return warning(
    'workers',
    message,
    `set TILLGATE_WORKERS to ${cores} or less: more processes than cores gain nothing`,
  )
}

/** Files that the database, the log and the libraries have open. */
const otherFiles = 136

/** Each connection and each listener is an open file. */
function filesChecks({ max_connections, listeners }: Config): Check[] {
  const others = usedListeners(listeners) + otherFiles
  const most = openFiles()
  if (most === null) return []
  const message =
    `a process may have ${most} open; TILLGATE_MAX_CONNECTIONS is ${max_connections}, ` +
    `TILLGATE_LISTENERS is ${listeners}`
  if (most >= max_connections + others) return [ok('open files', message)]
  const remedy = `raise the limit (ulimit -n, LimitNOFILE= in systemd) or set TILLGATE_MAX_CONNECTIONS=${Math.max(1, most - others)}`
  return [warning('open files', message, remedy)]
}

function openFiles(): number | null {
  try {
    // The hard limit: Node raises its soft limit to it.
    const [, , hard] =
      /^Max open files\s+(\S+)\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return hard === undefined || hard === 'unlimited' ? null : Number(hard)
  } catch {
    return null
  }
}
