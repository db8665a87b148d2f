/** Settings from the environment; times in milliseconds. */
export interface PostgresOptions {
  /** Number of connections of this process. */
  database_pool?: number
  /** The server cancels a statement that takes longer. */
  database_statement_timeout?: number
  /** The longest wait for a new connection, and for a free one of the pool. */
  database_connect_timeout?: number
  /** The URL of a hot standby that serves list pages. */
  read_database?: string | null
  /** Seconds that a page of the standby may lag behind. */
  read_staleness?: number
  /** `lossless`: a promoted standby has every commit, so the history of the database goes on. */
  failover?: 'lossy' | 'lossless'
  /** Reports an event to the operator; with an error when it needs attention. */
  notice?: (text: string, error?: unknown) => void
}

export interface Settings {
  /** The address for node:net. */
  address: { host: string; port: number } | { path: string }
  database: string
  username: string | undefined
  password: string | undefined
  ssl: false | 'prefer' | 'require' | 'verify-full'
  /** Whether statements are prepared; null: unless a pooler is found, which may not keep them. */
  prepare: boolean | null
  pool: number
  statement_timeout: number
  connect_timeout: number
  failover: 'lossy' | 'lossless'
}

const sslModes: Record<string, Settings['ssl']> = {
  disable: false,
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
}

const parameters = ['sslmode', 'prepare', 'host']

/** Parameters of libpq and of other drivers. An error names these alone: another name may be a part of a password. */
const foreignParameters =
  /^(user|password|port|dbname|passfile|service|options|schema|application_name|client_encoding|connect(ion)?_(timeout|limit)|channel_binding|target_session_attrs|keepalives\w*|gss\w*|krb\w*|ssl(cert|key|rootcert|crl|password|negotiation|compression)?|pgbouncer)$/

/** `postgres://user:password@host:port/database?sslmode=verify-full&prepare=false`; `host=/folder` is a Unix socket. */
export function readSettings(url: string, options: PostgresOptions = {}): Settings {
  const parsed = parse(url)
  const { searchParams } = parsed
  const sslmode = searchParams.get('sslmode') ?? 'prefer'
  const ssl = sslModes[sslmode]
  if (ssl === undefined) {
    throw new Error(
      `the sslmode in the database’s URL is unknown; it must be one of ${Object.keys(sslModes).join(', ')}`,
    )
  }
  const prepare = searchParams.get('prepare')
  const host = searchParams.get('host') ?? (parsed.hostname.replace(/^\[|\]$/g, '') || 'localhost')
  const port = Number(parsed.port || 5432)
  const username = decode(parsed.username) || undefined
  // The server's errors quote the user name, which is user and password here.
  if (username?.includes(':')) {
    throw new Error(
      'the user name in the database’s URL has a colon; do not encode the colon between user name and password',
    )
  }
  return {
    address: host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    database: decode(parsed.pathname.slice(1)) || username || 'postgres',
    username,
    password: decode(parsed.password) || undefined,
    ssl: host.startsWith('/') ? false : ssl,
    prepare: prepare === null ? null : prepare !== 'false',
    pool: options.database_pool ?? 10,
    statement_timeout: options.database_statement_timeout ?? 5000,
    connect_timeout: options.database_connect_timeout ?? 3000,
    failover: options.failover ?? 'lossy',
  }
}

/** No message shows the URL or a part of it: where a character is not encoded, any part may be of the password. */
function parse(url: string): URL {
  const parsed = URL.parse(url)
  if (!parsed) {
    throw new Error(
      `the database’s URL is not of the form postgres://user:password@host:port/database${encodeAdvice}`,
    )
  }
  // An @ behind the host, or a fragment: the password has a character that ended the host too early.
  if (`${parsed.pathname}${parsed.search}`.includes('@') || url.includes('#')) {
    throw new Error(`the database’s URL has an @ or # behind its host${encodeAdvice}`)
  }
  for (const name of parsed.searchParams.keys()) {
    if (parameters.includes(name)) continue
    const which = foreignParameters.test(name) ? `the parameter "${name}"` : 'an unknown parameter'
    throw new Error(`the database’s URL has ${which}; its parameters are ${parameters.join(', ')}`)
  }
  return parsed
}

const encodeAdvice = '; in the password, write / as %2F, ? as %3F, # as %23, @ as %40 and % as %25'

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(
      `the database’s URL has a % that is not followed by the two digits of a character${encodeAdvice}`,
    )
  }
}
