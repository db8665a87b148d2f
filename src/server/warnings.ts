import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'

/** Settings that work but are less safe than an operator may expect. */
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
      ? [`the address ${issuer} is not https: passwords, tokens and cookies are sent unencrypted`]
      : []),
    ...(protocol === 'https:' && trust_proxy === ''
      ? [
          'TILLGATE_TRUST_PROXY is not set: behind a proxy all clients share its address, and one limit on failed sign-ins',
        ]
      : []),
    ...databaseWarnings(database),
    ...(read_database === null ? [] : databaseWarnings(read_database)),
  ]
}

const isLocal = (hostname: string): boolean => ['127.0.0.1', '[::1]', 'localhost', ''].includes(hostname)

/** The database holds the signing keys: anyone who reads it, or its traffic, can sign tokens. */
function databaseWarnings(database: string): string[] {
  const url = /^postgres(ql)?:/.test(database) ? URL.parse(database) : null
  return url ? connectionWarnings(url) : fileWarnings(database)
}

function connectionWarnings({ searchParams, hostname }: URL): string[] {
  if (isLocal(hostname) || searchParams.has('host')) return []
  const advice = 'set sslmode=verify-full in its URL, unless you trust the network in between'
  const sslmode = searchParams.get('sslmode') ?? 'prefer'
  if (sslmode === 'disable') {
    return [`the connection to the database at ${hostname} is not encrypted (sslmode=disable): ${advice}`]
  }
  if (sslmode === 'require') {
    return [`the certificate of the database at ${hostname} is not verified (sslmode=require): ${advice}`]
  }
  if (sslmode !== 'prefer') return []
  return [`the connection to the database at ${hostname} may be neither encrypted nor verified: ${advice}`]
}

function fileWarnings(file: string): string[] {
  const found = statSync(file, { throwIfNoEntry: false })
  if (process.platform === 'win32' || !found) return []
  const mode = found.mode & 0o777
  const folder = dirname(file)
  const folderMode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0
  // In a folder with the sticky bit, such as /tmp, users cannot replace the files of others.
  const replaceable = (folderMode & 0o1002) === 0o002
  return [
    ...((mode & 0o077) === 0
      ? []
      : [
          `other users of this machine can open the database file ${file} (mode ${mode.toString(8)}), which holds the signing keys: run chmod 600 on it`,
        ]),
    ...(replaceable
      ? [
          `other users of this machine can replace the database file, because they can write to its folder ${folder}: run chmod o-w on it`,
        ]
      : []),
  ]
}
