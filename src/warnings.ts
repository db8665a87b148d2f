import type { Config } from './config.ts'

/** What an operator should know at the start: settings that work, and are less safe than they look. */
export function warningsOf({ trust_proxy }: Pick<Config, 'trust_proxy'>, issuer: string): string[] {
  const { protocol, hostname } = new URL(issuer)
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
  return [
    ...(protocol === 'http:' && !local
      ? [`the address ${issuer} is not https: passwords, tokens and cookies travel in the clear`]
      : []),
    ...(protocol === 'https:' && trust_proxy === ''
      ? ['TILLGATE_TRUST_PROXY is not set: behind a proxy all clients share its address, and its throttle']
      : []),
  ]
}
