import type { Config } from '../../config.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Examination } from '../../storage/port/examination.ts'
import { threadConnections } from '../../ingest/threads/pool.ts'
import { type Check, ok, problem, warning } from './check.ts'

const day = 86_400
/** NIST SP 800-57 recommends one to three years at most for a signing key; rotating it sooner costs little. */
const oldKey = 180 * day
const gigabyte = 1024 ** 3

/** Turns the examination of the database into checks. */
export function databaseChecks(found: Examination, config: Config, clock: Clock): Check[] {
  return [
    ok('database', `${found.engine} ${found.version}, reachable`),
    schemaCheck(found),
    ...durabilityChecks(found),
    keyCheck(found, clock),
    ...clockChecks(found),
    ...connectionChecks(found, config),
    ...clusterChecks(found),
    ...diskChecks(found),
  ]
}

function schemaCheck({ schema: { current, newest, refusal } }: Examination): Check {
  if (current > newest) {
    const message = `version ${current}; this Tillgate supports up to ${newest}`
    return problem('schema', message, 'run the Tillgate version that wrote it, or a later one')
  }
  if (refusal !== null) return problem('schema', refusal, 'run the Tillgate version that wrote it')
  if (current === newest) return ok('schema', `version ${current}, up to date`)
  const message = current === 0 ? 'the database has no tables yet' : `version ${current} of ${newest}`
  return warning('schema', message, 'run tillgate migrate, or start the server, which migrates too')
}

function durabilityChecks({ durability, engine }: Examination): Check[] {
  if (durability.length === 0) {
    const message =
      engine === 'SQLite' ? 'no damage found; every commit is flushed' : 'every commit is flushed'
    return [ok('durability', message)]
  }
  return durability.map(({ severity, message, remedy }) => ({
    name: 'durability',
    state: severity,
    message,
    remedy,
  }))
}

function keyCheck({ signing_since }: Examination, clock: Clock): Check {
  if (signing_since === null) return ok('signing key', 'none yet; the first token creates one')
  const days = Math.floor((clock.now() - signing_since) / day)
  if (clock.now() - signing_since < oldKey) return ok('signing key', `${days} days old`)
  return warning('signing key', `${days} days old`, 'run tillgate keys rotate; issued tokens stay valid')
}

function clockChecks({ clock }: Examination): Check[] {
  if (clock === null) return []
  const seconds = Math.abs(Date.now() / 1000 - clock)
  const message = `the database’s clock differs by ${seconds.toFixed(1)} s`
  const remedy = 'synchronize both machines with NTP; chronyc tracking or timedatectl shows the state'
  if (seconds > 10) return [problem('clock', message, remedy)]
  return [seconds > 2 ? warning('clock', message, remedy) : ok('clock', message)]
}

/** The most connections of one node to the primary; docs/scaling.md has the same formula. */
export const connectionsOf = ({
  workers,
  database_pool,
  ingest_threads,
}: Pick<Config, 'workers' | 'database_pool' | 'ingest_threads'>): number =>
  workers * (database_pool + threadConnections * ingest_threads)

function connectionChecks({ connections }: Examination, config: Config): Check[] {
  if (connections === null) return []
  const { used, most } = connections
  const wanted = connectionsOf(config)
  const message = `${used} of ${most} are in use; this node uses up to ${wanted}`
  if (used + wanted <= most) return [ok('connections', message)]
  const remedy =
    'lower TILLGATE_DATABASE_POOL, TILLGATE_INGEST_THREADS or TILLGATE_WORKERS, raise max_connections, or use PgBouncer'
  return [wanted > most ? problem('connections', message, remedy) : warning('connections', message, remedy)]
}

function clusterChecks({ cluster }: Examination): Check[] {
  if (cluster === null) return []
  const { nodes, remarks } = cluster
  if (remarks.length > 0)
    return remarks.map(({ severity, message, remedy }) => ({
      name: 'citus',
      state: severity,
      message,
      remedy,
    }))
  return [ok('citus', `${nodes} nodes, every table is distributed, lost commits are recovered within 5 s`)]
}

function diskChecks({ disk }: Examination): Check[] {
  if (disk === null) return []
  const { folder, free, total } = disk
  const message = `${(free / gigabyte).toFixed(1)} of ${(total / gigabyte).toFixed(1)} GiB free at ${folder}`
  const remedy = 'free some space, or move the database; on a full disk writes are answered with 503'
  if (free < 0.2 * gigabyte) return [problem('disk', message, remedy)]
  return [free < 2 * gigabyte || free < total / 20 ? warning('disk', message, remedy) : ok('disk', message)]
}
