import type { Server } from 'node:http'
import { isIP } from 'node:net'

/**
 * Removes ports from X-Forwarded-For before other code reads it. Some proxies add the client's port, which differs for each
 * connection: the throttle would count every attempt under another address.
 */
export function readForwardedFor(server: Server): void {
  server.prependListener('request', ({ headers }) => {
    const given = headers['x-forwarded-for']
    if (typeof given !== 'string') return
    const nearest = nearestAddresses(given)
    if (nearest === '') delete headers['x-forwarded-for']
    else headers['x-forwarded-for'] = nearest
  })
}

/** The addresses from the last entry, which the proxy wrote, back to the first entry that is not an address. */
export function nearestAddresses(list: string): string {
  const nearest: string[] = []
  for (const entry of list.split(',').toReversed()) {
    const address = withoutPort(entry.trim())
    if (isIP(address) === 0) break
    nearest.unshift(address)
  }
  return nearest.join(', ')
}

function withoutPort(entry: string): string {
  const [, v4, v6] = /^(?:(\d+\.\d+\.\d+\.\d+)(?::\d+)?|\[([^\]]*)\](?::\d+)?)$/.exec(entry) ?? []
  return v4 ?? v6 ?? entry
}
