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
}

const sslModes: Record<string, Settings['ssl']> = {
  disable: false,
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
}

/** `postgres://user:password@host:port/database?sslmode=verify-full&prepare=false`; `host=/folder` is a Unix socket. */
export function readSettings(url: string, options: PostgresOptions = {}): Settings {
  const parsed = URL.parse(url)
  // No message shows the URL: it holds the password.
  if (!parsed)
    throw new Error('the database’s URL is not of the form postgres://user:password@host:port/database')
  const { searchParams } = parsed
  for (const name of searchParams.keys()) {
    if (!['sslmode', 'prepare', 'host'].includes(name)) {
      throw new Error(`the database’s URL has "${name}"; its parameters are sslmode, prepare and host`)
    }
  }
  const sslmode = searchParams.get('sslmode') ?? 'prefer'
  const ssl = sslModes[sslmode]
  if (ssl === undefined) {
    throw new Error(`sslmode is "${sslmode}"; it must be one of ${Object.keys(sslModes).join(', ')}`)
  }
  const prepare = searchParams.get('prepare')
  const host = searchParams.get('host') ?? (parsed.hostname.replace(/^\[|\]$/g, '') || 'localhost')
  const port = Number(parsed.port || 5432)
  const username = decodeURIComponent(parsed.username) || undefined
  return {
    address: host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    database: decodeURIComponent(parsed.pathname.slice(1)) || username || 'postgres',
    username,
    password: decodeURIComponent(parsed.password) || undefined,
    ssl: host.startsWith('/') ? false : ssl,
    prepare: prepare === null ? null : prepare !== 'false',
    pool: options.database_pool ?? 10,
    statement_timeout: options.database_statement_timeout ?? 5000,
    connect_timeout: options.database_connect_timeout ?? 3000,
  }
}
