import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'
import { loopbackHosts } from '../lib/address.ts'
import { isPostgresUrl } from '../lib/database-url.ts'

type DatabaseSettings = Pick<Config, 'database'> & Partial<Pick<Config, 'read_database'>>

/** Settings that work but are less safe than an operator may expect. */
export function warningsOf(
  config: DatabaseSettings & Pick<Config, 'trust_proxy'> & Partial<Pick<Config, 'sandbox'>>,
  issuer: string,
): string[] {
  return [
    ...(config.sandbox
      ? ['TILLGATE_SANDBOX is 1: requests fail on demand and anybody may sign up; unset it in production']
      : []),
    ...addressWarnings(config, issuer),
    ...databaseWarnings(config).map(({ message, remedy }) => `${message}: ${remedy}`),
  ]
}

function addressWarnings({ trust_proxy }: Pick<Config, 'trust_proxy'>, issuer: string): string[] {
  const { protocol, hostname } = new URL(issuer)
  if (protocol === 'http:' && !loopbackHosts.includes(hostname)) {
    return [`the address ${issuer} is not https: passwords, tokens and cookies are sent unencrypted`]
  }
  if (protocol === 'https:' && trust_proxy === '') {
    return [
      'TILLGATE_TRUST_PROXY is not set: behind a proxy, all clients appear to have its address and share one limit on failed sign-ins',
    ]
  }
  return []
}

interface DatabaseWarning {
  message: string
  /** How to fix it. */
  remedy: string
}

/** The database holds the signing keys: anyone who reads it, or its traffic, can sign tokens. */
export function databaseWarnings({ database, read_database = null }: DatabaseSettings): DatabaseWarning[] {
  const named = [
    ['TILLGATE_DATABASE', database],
    ['TILLGATE_READ_DATABASE', read_database],
  ] as const
  return named.flatMap(([setting, address]) => {
    if (address === null) return []
    const url = isPostgresUrl(address) ? URL.parse(address) : null
    return url ? connectionWarnings(setting, url) : fileWarnings(address)
  })
}

/** The host is not shown: where a character of the password is not encoded, it is a part of the password. */
function connectionWarnings(setting: string, { searchParams, hostname }: URL): DatabaseWarning[] {
  if (hostname === '' || loopbackHosts.includes(hostname) || searchParams.has('host')) return []
  const remedy = 'set sslmode=verify-full in its URL, unless you trust the network between the two'
  const sslmode = searchParams.get('sslmode') ?? 'prefer'
  if (sslmode === 'disable') {
    return [{ message: `the connection of ${setting} is not encrypted (sslmode=disable)`, remedy }]
  }
  if (sslmode === 'require') {
    return [{ message: `the server’s certificate of ${setting} is not verified (sslmode=require)`, remedy }]
  }
  if (sslmode !== 'prefer') return []
  return [{ message: `the connection of ${setting} may be neither encrypted nor verified`, remedy }]
}

function fileWarnings(file: string): DatabaseWarning[] {
  const found = statSync(file, { throwIfNoEntry: false })
  if (process.platform === 'win32' || !found) return []
  const warnings: DatabaseWarning[] = []
  const mode = found.mode & 0o777
  if ((mode & 0o077) !== 0) {
    const message = `other users of this machine can open the database file ${file} (mode ${mode.toString(8)}), which holds the signing keys`
    warnings.push({ message, remedy: 'run chmod 600 on it' })
  }
  const folder = dirname(file)
  const folderMode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0
  // In a folder with the sticky bit, such as /tmp, users cannot replace the files of others.
  if ((folderMode & 0o1002) === 0o002) {
    const message = `other users of this machine can replace the database file, because they can write to its folder ${folder}`
    warnings.push({ message, remedy: 'run chmod o-w on it' })
  }
  return warnings
}
