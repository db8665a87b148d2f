import type { Server } from 'node:http'
import { isIP } from 'node:net'

/**
 * Leaves addresses alone in X-Forwarded-For, before anybody reads it. Some proxies add the port, which is another one for
 * each connection: taken for the address, every attempt of a guesser would be somebody else's.
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

/** From the last on, which the proxy wrote, as far as they are addresses: what stands before is nobody's word. */
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
