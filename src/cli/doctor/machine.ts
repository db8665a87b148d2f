import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Config } from '../../config.ts'
import { doors } from '../../server/listen.ts'
import { type Check, ok, warning } from './check.ts'

/** The cores and open files that this machine gives to a server. */
export function machineChecks(config: Config): Check[] {
  return [workersCheck(config), ...filesChecks(config)]
}

function workersCheck({ workers }: Config): Check {
  const cores = availableParallelism()
  const says = `${workers} for ${cores} cores, Node ${process.versions.node}`
  if (workers <= cores) return ok('workers', says)
  return warning(
    'workers',
    says,
    `set TILLGATE_WORKERS to ${cores} or less: more processes than cores gain nothing`,
  )
}

/** Each connection is an open file; some more are the sockets that listen, the database and the libraries. */
const others = doors + 136

function filesChecks({ max_connections }: Config): Check[] {
  const most = openFiles()
  if (most === null) return []
  const says = `a process may have ${most} open; TILLGATE_MAX_CONNECTIONS is ${max_connections}`
  if (most >= max_connections + others) return [ok('open files', says)]
  const mend = `raise the limit (ulimit -n, LimitNOFILE= of systemd) or set TILLGATE_MAX_CONNECTIONS=${Math.max(1, most - others)}`
  return [warning('open files', says, mend)]
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
