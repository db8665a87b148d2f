import { isIPv6 } from 'node:net'

/**
 * The part of an address that one person has to themselves: all of an IPv4 address, the first half of an IPv6 one. A
 * single host may choose any of 2^64 second halves.
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

/** Whether it is this machine that asks: its operator, or a proxy that is not trusted to say who does. */
export const isThisMachine = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/i.test(address)
