import type { Examination, Remark } from '../../port/examination.ts'
import { type Applied, readMigrations, schemaState } from '../../shared/migrations.ts'
import { type Connection, connect } from '../connection/connection.ts'
import { translate } from '../connection/errors.ts'
import { encodingProblem, encodingRemedy, holdsAllText } from '../connection/session.ts'
import { type PostgresOptions, readSettings } from '../connection/settings.ts'
import { type Cluster, readCluster, setRecovery } from './citus.ts'

/** The major versions that Tillgate was tried on; the tests run on the newest. */
const tried = { oldest: 15, newest: 18 }

interface Facts {
  version: string
  major: number
  now: number
  synchronous_commit: string
  fsync: string
  full_page_writes: string
  replica: boolean
  read_only: string
  encoding: string
  may_write: boolean
  encrypted: boolean
  local: boolean
  used: number
  most: number
  has_schema: boolean
}

/** Rejects when the server is unreachable or refuses the connection. */
export async function examinePostgres(url: string, options: PostgresOptions = {}): Promise<Examination> {
  const settings = readSettings(url, options)
  const connection = await connect(settings, {}).catch(error => {
    throw translate(error)
  })
  try {
    const facts = await readFacts(connection)
    return {
      engine: 'PostgreSQL',
      version: facts.version,
      schema: schemaState(
        facts.has_schema ? await applied(connection) : [],
        readMigrations(import.meta.dirname),
      ),
      durability: remarks(facts, settings.username ?? 'tillgate'),
      clock: facts.now,
      signing_since: facts.has_schema ? await signingSince(connection) : null,
      connections: { used: facts.used, most: facts.most },
      cluster: toCluster(await readCluster(connection)),
      disk: null,
    }
  } finally {
    connection.destroy()
  }
}

async function readFacts(connection: Connection): Promise<Facts> {
  const [facts] = await connection.query<Facts>(
    `select
       current_setting('server_version') as version,
       current_setting('server_version_num')::int / 10000 as major,
       extract(epoch from clock_timestamp())::float8 as now,
       current_setting('synchronous_commit') as synchronous_commit,
       current_setting('fsync') as fsync,
       current_setting('full_page_writes') as full_page_writes,
       pg_is_in_recovery() as replica,
       current_setting('default_transaction_read_only') as read_only,
       current_setting('server_encoding') as encoding,
       (select coalesce(bool_and(has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update')
           and has_table_privilege(oid, 'delete')), true)
         from pg_class where relname = 'stores' and relkind in ('r', 'p') and pg_table_is_visible(oid)) as may_write,
       coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted,
       coalesce(inet_server_addr() << '127.0.0.0/8' or inet_server_addr() = '::1', true) as local,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
       exists (select 1 from pg_tables
         where tablename = 'schema_migrations' and schemaname = any (current_schemas(false))) as has_schema`,
  )
  return facts as Facts
}

function remarks(facts: Facts, role: string): Remark[] {
  const found: [wrong: boolean, remark: Remark][] = [
    [
      facts.synchronous_commit === 'off',
      {
        severity: 'problem',
        message: 'synchronous_commit is off: an acknowledged write could be lost',
        remedy: `ALTER ROLE "${role}" SET synchronous_commit = on`,
      },
    ],
    [
      facts.fsync === 'off' || facts.full_page_writes === 'off',
      {
        severity: 'problem',
        message: 'fsync or full_page_writes is off: a power cut can destroy the database',
        remedy: 'set both to on in postgresql.conf and restart PostgreSQL',
      },
    ],
    [
      facts.replica || facts.read_only === 'on',
      {
        severity: 'problem',
        message: facts.replica ? 'the server is a standby: nothing can be written' : 'the role may only read',
        remedy: facts.replica
          ? 'point TILLGATE_DATABASE at the primary; a standby belongs in TILLGATE_READ_DATABASE'
          : `ALTER ROLE "${role}" RESET default_transaction_read_only`,
      },
    ],
    [
      !facts.may_write,
      {
        severity: 'problem',
        message: 'the role may not write to the tables',
        remedy: `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "${role}"`,
      },
    ],
    [
      !holdsAllText(facts.encoding),
      { severity: 'problem', message: encodingProblem(facts.encoding), remedy: encodingRemedy },
    ],
    [
      !facts.encrypted && !facts.local,
      {
        severity: 'warning',
        message: 'the connection to the database is not encrypted',
        remedy: 'add sslmode=verify-full to the URL, and a certificate to the server',
      },
    ],
  ]
  return [...versionRemarks(facts.major), ...found.filter(([wrong]) => wrong).map(([, remark]) => remark)]
}

export function versionRemarks(major: number): Remark[] {
  if (major >= tried.oldest && major <= tried.newest) return []
  const message = `PostgreSQL ${major} is untested; versions ${tried.oldest} to ${tried.newest} were tried`
  const remedy =
    major < tried.oldest
      ? 'upgrade PostgreSQL when you can'
      : 'look for a newer Tillgate, or try this one before you rely on it'
  return [{ severity: 'warning', message, remedy }]
}

function toCluster(cluster: Cluster | null): Examination['cluster'] {
  if (cluster === null) return null
  const found: [wrong: boolean, remark: Remark][] = [
    [
      cluster.missing.length > 0,
      {
        severity: 'warning',
        message: `not distributed: ${cluster.missing.join(', ')}`,
        remedy: 'run tillgate migrate --citus with the coordinator as TILLGATE_DATABASE',
      },
    ],
    [
      !cluster.recovers,
      {
        severity: 'warning',
        message:
          'a node does not answer, or citus.recover_2pc_interval is above 5 s there: a revocation could take that long to reach it',
        remedy: `run as a superuser on the coordinator: ${setRecovery.join('; ')}`,
      },
    ],
  ]
  return { nodes: cluster.nodes, remarks: found.filter(([wrong]) => wrong).map(([, remark]) => remark) }
}

const applied = (connection: Connection): Promise<readonly Applied[]> =>
  connection.query<Applied>('select number, name from schema_migrations')

async function signingSince(connection: Connection): Promise<number | null> {
  const [row] = await connection.query<{ made_at: number | null }>(
    `select max(created_at) as made_at from keys where use = 'sign' and retired_at is null`,
  )
  return row?.made_at ?? null
}
