import { isIPv6 } from 'node:net'

/**
 * The part of an address that identifies one customer: a whole IPv4 address, or the /64 prefix of an IPv6 address, since
 * a host chooses the other half freely.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail = ''] = address.toLowerCase().replace(/%.*$/, '').split('::')
  const front = head.split(':').filter(group => group !== '')
  const back = tail.split(':').filter(group => group !== '')
  const gap = address.includes('::') ? 8 - front.length - back.length : 0
  const groups = [...front, ...Array<string>(Math.max(gap, 0)).fill('0'), ...back]
  return `${groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Whether the client is on this machine: its operator, or a proxy that is not configured as trusted. */
export const isThisMachine = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/i.test(address)
