import { statSync } from 'node:fs'
import type { Config } from './config.ts'

/** What an operator should know at the start: settings that work, and are less safe than they look. */
export function warningsOf(
  { trust_proxy, database }: Pick<Config, 'trust_proxy' | 'database'>,
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
  ]
}

const isLocal = (hostname: string): boolean => ['127.0.0.1', '[::1]', 'localhost', ''].includes(hostname)

/** Whoever reads the database, or its traffic, can sign tokens. */
function databaseWarnings(database: string): string[] {
  const url = /^postgres(ql)?:/.test(database) ? URL.parse(database) : null
  if (url) {
    const { searchParams, hostname } = url
    if (isLocal(hostname) || searchParams.has('sslmode') || searchParams.has('host')) return []
    return [
      `the connection to the database at ${hostname} may be neither encrypted nor verified: add sslmode=verify-full to its URL, or say sslmode=disable where the network is your own`,
    ]
  }
  const mode = (statSync(database, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return []
  return [
    `other users of this machine may open the database file ${database} (mode ${mode.toString(8)}), which holds the signing keys: run chmod 600 on it`,
  ]
}
