import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { addressProblem, isPostgresUrl } from './lib/database-url.ts'
import { findUnknown } from './lib/unknown-settings.ts'

/** All settings. This is the only file that reads the environment. */
export interface Config {
  host: string
  port: number
  /** A SQLite path, or a postgres:// URL. */
  database: string
  /** PostgreSQL only: connections of each process, and timeouts in milliseconds. */
  database_pool: number
  database_statement_timeout: number
  database_connect_timeout: number
  /** The postgres:// URL of a hot standby that serves list pages, and the seconds that it may lag behind. */
  read_database: string | null
  read_staleness: number
  /** `lossless`: a promoted standby lacks no commit, so clients of the change feed go on. */
  failover: 'lossy' | 'lossless'
  /** Public address and OAuth issuer, without a trailing slash; null: the address that the server listens on. */
  base_url: string | null
  workers: number
  /** Threads of each process that read and store records; 0: the process does it itself. */
  ingest_threads: number
  log_level: string
  /** Proxies whose X-Forwarded-For is trusted: addresses or ranges, comma-separated; empty: none. */
  trust_proxy: string
  /** Integration API requests a minute for each app; 0: no limit. */
  rate_limit: number
  /** Connections of each process; further connections are closed immediately. */
  max_connections: number
  /** Sockets of each process that listen on the port (Linux). */
  listeners: number
  /** The concurrency limit of each class of requests in a process, and the queue timeout in milliseconds. */
  max_requests: number
  max_wait: number
  /** Requests of one app that may wait for changes, in each process. */
  max_waiting: number
  /** Addresses and ranges besides the public ones that webhooks may be sent to, comma-separated; also by http. */
  webhook_allow: string
  /** An smtp:// or smtps:// URL of the server that sends mail, and the sender; empty: no mail is sent. */
  smtp_url: string
  mail_from: string
  /** For integrators who test: requests fail as X-Sandbox-Fault says, and each developer has a store with sample data. */
  sandbox: boolean
  /** Number of developer accounts at which sign-up closes on a sandbox server. */
  sandbox_developers: number
  /** Seconds between a stop request, from which /health/ready answers 503, and the end of accepting connections. */
  shutdown_delay: number
}

/** What one process is made with, apart from its database, address and threads. */
export type ServerConfig = Pick<
  Config,
  | 'log_level'
  | 'trust_proxy'
  | 'rate_limit'
  | 'max_connections'
  | 'max_requests'
  | 'max_wait'
  | 'max_waiting'
  | 'webhook_allow'
  | 'smtp_url'
  | 'mail_from'
  | 'sandbox'
  | 'sandbox_developers'
>

/** Every variable that is read. */
const settings = [
  'HOST',
  'PORT',
  'TILLGATE_DATABASE',
  'TILLGATE_DATABASE_POOL',
  'TILLGATE_DATABASE_STATEMENT_TIMEOUT',
  'TILLGATE_DATABASE_CONNECT_TIMEOUT',
  'TILLGATE_READ_DATABASE',
  'TILLGATE_READ_STALENESS',
  'TILLGATE_FAILOVER',
  'TILLGATE_BASE_URL',
  'TILLGATE_WORKERS',
  'TILLGATE_INGEST_THREADS',
  'TILLGATE_LOG_LEVEL',
  'TILLGATE_TRUST_PROXY',
  'TILLGATE_RATE_LIMIT',
  'TILLGATE_MAX_CONNECTIONS',
  'TILLGATE_LISTENERS',
  'TILLGATE_MAX_REQUESTS',
  'TILLGATE_MAX_WAIT',
  'TILLGATE_MAX_WAITING',
  'TILLGATE_WEBHOOK_ALLOW',
  'TILLGATE_SMTP_URL',
  'TILLGATE_MAIL_FROM',
  'TILLGATE_SANDBOX',
  'TILLGATE_SANDBOX_DEVELOPERS',
  'TILLGATE_SHUTDOWN_DELAY',
] as const

type Setting = (typeof settings)[number]
/** So that the compiler refuses a setting that the list lacks. */
type Environment = Partial<Record<Setting, string | undefined>>

/** A sentence for each variable that looks like a setting and is none. */
export const unknownSettings = (env: NodeJS.ProcessEnv = process.env): string[] => findUnknown(env, settings)

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export function readConfig(env: Environment = process.env): Config {
  const database = readDatabase(env['TILLGATE_DATABASE'] || 'data/tillgate.db')
  return {
    host: env['HOST'] || '127.0.0.1',
    port: integer(env, 'PORT', 3000, 0, 65_535),
    database,
    database_pool: integer(env, 'TILLGATE_DATABASE_POOL', 10, 1, 1000),
    database_statement_timeout: integer(env, 'TILLGATE_DATABASE_STATEMENT_TIMEOUT', 5000, 1, 3_600_000),
    database_connect_timeout: integer(env, 'TILLGATE_DATABASE_CONNECT_TIMEOUT', 3000, 1, 3_600_000),
    read_database: readReplica(env['TILLGATE_READ_DATABASE'] || null, database),
    read_staleness: integer(env, 'TILLGATE_READ_STALENESS', 0, 0, 86_400),
    failover: oneOf(env, 'TILLGATE_FAILOVER', 'lossy', ['lossy', 'lossless']),
    base_url: env['TILLGATE_BASE_URL'] ? readBaseUrl(env['TILLGATE_BASE_URL']) : null,
    workers: readWorkers(env, database),
    ingest_threads: integer(env, 'TILLGATE_INGEST_THREADS', Math.min(2, availableParallelism()), 0, 64),
    log_level: oneOf(env, 'TILLGATE_LOG_LEVEL', 'info', [
      'silent',
      'fatal',
      'error',
      'warn',
      'info',
      'debug',
      'trace',
    ]),
    trust_proxy: readProxies(env['TILLGATE_TRUST_PROXY'] ?? ''),
    rate_limit: integer(env, 'TILLGATE_RATE_LIMIT', 0, 0, 1_000_000_000),
    max_connections: integer(env, 'TILLGATE_MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    listeners: integer(env, 'TILLGATE_LISTENERS', 64, 1, 1024),
    max_requests: integer(env, 'TILLGATE_MAX_REQUESTS', 20, 1, 100_000),
    max_wait: integer(env, 'TILLGATE_MAX_WAIT', 400, 1, 60_000),
    max_waiting: integer(env, 'TILLGATE_MAX_WAITING', 200, 1, 1_000_000),
    webhook_allow: readRanges(env, 'TILLGATE_WEBHOOK_ALLOW'),
    ...readMail(env),
    sandbox: oneOf(env, 'TILLGATE_SANDBOX', '0', ['0', '1']) === '1',
    sandbox_developers: integer(env, 'TILLGATE_SANDBOX_DEVELOPERS', 1000, 1, 1_000_000),
    shutdown_delay: integer(env, 'TILLGATE_SHUTDOWN_DELAY', 0, 0, 3600),
  }
}

function integer(env: Environment, name: Setting, fallback: number, min: number, max: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new ConfigError(`${name} is ${quoted(text)}; it must be a whole number from ${min} to ${max}`)
  }
  return value
}

function oneOf<T extends string>(env: Environment, name: Setting, fallback: T, values: readonly T[]): T {
  const given = env[name] || fallback
  const value = values.find(each => each === given)
  if (value === undefined)
    throw new ConfigError(`${name} is ${quoted(given)}; it must be one of ${values.join(', ')}`)
  return value
}

/** The URL is never printed: it may hold a password. */
function readMail(env: Environment): Pick<Config, 'smtp_url' | 'mail_from'> {
  const smtp_url = env['TILLGATE_SMTP_URL'] ?? ''
  const mail_from = env['TILLGATE_MAIL_FROM'] ?? ''
  if (smtp_url === '' && mail_from === '') return { smtp_url, mail_from }
  const url = URL.parse(smtp_url)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new ConfigError(
      'TILLGATE_SMTP_URL is not an address such as smtp://user:password@mail.example.com:587',
    )
  }
  if (!/^[^@\s]+@[^@\s]+$|<[^@\s]+@[^@\s]+>$/.test(mail_from)) {
    throw new ConfigError(
      `TILLGATE_MAIL_FROM is ${quoted(mail_from)}; with TILLGATE_SMTP_URL it must be an address such as "Harbour POS <pos@example.com>"`,
    )
  }
  return { smtp_url, mail_from }
}

function readWorkers(env: Environment, database: string): number {
  const workers = integer(env, 'TILLGATE_WORKERS', 1, 1, 256)
  if (workers > 1 && database === ':memory:') {
    throw new ConfigError(
      `TILLGATE_WORKERS is "${workers}", but each process has its own :memory: database; set TILLGATE_DATABASE to a file`,
    )
  }
  return workers
}

function readDatabase(value: string): string {
  if (isPostgresUrl(value) || value === ':memory:') return value
  const problem = addressProblem(value)
  if (problem !== null) throw new ConfigError(`TILLGATE_DATABASE ${problem}`)
  const file = resolve(value)
  refuseImpossible(file)
  return file
}

/** Missing folders are created later, which is impossible below a file. */
function refuseImpossible(file: string): void {
  if (isFolder(file))
    throw new ConfigError(`TILLGATE_DATABASE is "${file}", which is a folder; it must be a file`)
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const found = isFolder(folder)
    if (found === true) return
    if (found === false) {
      throw new ConfigError(`TILLGATE_DATABASE is "${file}", but ${folder} is not a folder`)
    }
  }
}

/** Null: the path does not exist or cannot be read; opening the database reports the reason. */
function isFolder(path: string): boolean | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? null
  } catch {
    return null
  }
}

function readReplica(value: string | null, database: string): string | null {
  if (value === null) return null
  if (!isPostgresUrl(value)) {
    throw new ConfigError('TILLGATE_READ_DATABASE is not a postgres:// URL')
  }
  if (!isPostgresUrl(database)) {
    throw new ConfigError(
      'TILLGATE_READ_DATABASE is set, but TILLGATE_DATABASE is a SQLite file, which has no replicas',
    )
  }
  return value
}

/** Accepts the syntax of Fastify's proxy-addr. Checked here, so that the error names the setting. */
function readProxies(value: string): string {
  const proxies = value.split(',').map(proxy => proxy.trim())
  if (value.trim() === '') return ''
  for (const proxy of proxies) {
    if (!proxyNames.includes(proxy) && !isRange(proxy)) {
      throw new ConfigError(
        `TILLGATE_TRUST_PROXY has ${quoted(proxy)}; it must be addresses, ranges such as 10.0.0.0/8, ` +
          `or ${proxyNames.join(', ')}, with commas between them`,
      )
    }
  }
  return proxies.join(',')
}

function readRanges(env: Environment, name: Setting): string {
  const ranges = (env[name] ?? '').split(',').map(range => range.trim())
  const wrong = ranges.find(range => range !== '' && !isRange(range))
  if (wrong !== undefined) {
    throw new ConfigError(
      `${name} has ${quoted(wrong)}; it must be addresses or ranges such as 10.0.0.0/8, with commas between them`,
    )
  }
  return ranges.filter(range => range !== '').join(',')
}

const proxyNames = ['loopback', 'linklocal', 'uniquelocal']

/** An address, or a range in CIDR notation. */
function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return false
  return (
    bits === undefined ||
    (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128))
  )
}

/** Clients compare the issuer byte for byte, so a value that URL parsing would change is refused. */
function readBaseUrl(value: string): string {
  const url = URL.parse(value)
  const trimmed = value.replace(/\/$/, '')
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.origin !== trimmed) {
    throw new ConfigError(
      `TILLGATE_BASE_URL is ${quoted(value)}; it must be scheme, host and optional port only, such as https://pos.example.com`,
    )
  }
  return trimmed
}

/** The value of a setting, unless it may hold a password: somebody may set the wrong variable to a URL. */
const quoted = (value: string): string =>
  /@|password/i.test(value) ? 'not shown, because it may hold a password' : `"${value}"`
