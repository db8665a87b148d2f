import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'

/** What an operator should know at the start: settings that work, and are less safe than they look. */
export function warningsOf(
  {
    trust_proxy,
    database,
    read_database = null,
  }: Pick<Config, 'trust_proxy' | 'database'> & Partial<Pick<Config, 'read_database'>>,
  issuer: string,
): string[] {
  const { protocol, hostname } = new URL(issuer)
  const local = isLocal(hostname)
  return [
    ...(protocol === 'http:' && !local
      ? [`the address ${issuer} is not https: passwords, tokens and cookies travel in the clear`]
      : []),
    ...(protocol === 'https:' && trust_proxy === ''
      ? ['TILLGATE_TRUST_PROXY is not set: behind a proxy all clients share its address, and its throttle']
      : []),
    ...databaseWarnings(database),
    ...(read_database === null ? [] : databaseWarnings(read_database)),
  ]
}

const isLocal = (hostname: string): boolean => ['127.0.0.1', '[::1]', 'localhost', ''].includes(hostname)

/** Whoever reads the database, or its traffic, can sign tokens. */
function databaseWarnings(database: string): string[] {
  const url = /^postgres(ql)?:/.test(database) ? URL.parse(database) : null
  return url ? connectionWarnings(url) : fileWarnings(database)
}

function connectionWarnings({ searchParams, hostname }: URL): string[] {
  if (isLocal(hostname) || searchParams.has('host')) return []
  const mend = 'set sslmode=verify-full in its URL, unless the network between is your own'
  const sslmode = searchParams.get('sslmode') ?? 'prefer'
  if (sslmode === 'disable') {
    return [`the connection to the database at ${hostname} is not encrypted (sslmode=disable): ${mend}`]
  }
  if (sslmode === 'require') {
    return [`the certificate of the database at ${hostname} is not verified (sslmode=require): ${mend}`]
  }
  if (sslmode !== 'prefer') return []
  return [`the connection to the database at ${hostname} may be neither encrypted nor verified: ${mend}`]
}

function fileWarnings(file: string): string[] {
  const found = statSync(file, { throwIfNoEntry: false })
  if (process.platform === 'win32' || !found) return []
  const mode = found.mode & 0o777
  const folder = dirname(file)
  const folderMode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0
  // In a sticky folder, such as /tmp, nobody can replace the file of another.
  const replaceable = (folderMode & 0o1002) === 0o002
  return [
    ...((mode & 0o077) === 0
      ? []
      : [
          `other users of this machine may open the database file ${file} (mode ${mode.toString(8)}), which holds the signing keys: run chmod 600 on it`,
        ]),
    ...(replaceable
      ? [
          `other users of this machine may replace the database file, because they may write to its folder ${folder}: run chmod o-w on it`,
        ]
      : []),
  ]
}
