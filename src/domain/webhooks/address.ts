import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface AddressRules {
  /** Whether the operator has named the address: then http is allowed too. */
  isNamed(address: string): boolean
  /** Whether a request may be sent to the address. */
  mayCall(address: string, protocol: string): boolean
  /** Whether the operator has named any. */
  readonly namesAny: boolean
}

/** The addresses that IANA has given out for the public Internet; all other unicast ones are for special uses. */
const publicIPv6 = ipaddr.parseCIDR('2000::/3')

/** `allow`: addresses and ranges, comma-separated, that may be called besides the public ones. */
export function createAddressRules(allow: string): AddressRules {
  const ranges = allow
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '')
    .map(rangeOf)

  function isNamed(address: string): boolean {
    const parsed = parse(address)
    return parsed !== null && ranges.some(range => isWithin(parsed, range))
  }

  function isPublic(address: string): boolean {
    const parsed = parse(address)
    if (parsed?.range() !== 'unicast') return false
    return parsed.kind() === 'ipv4' || isWithin(parsed, publicIPv6)
  }

  return {
    isNamed,
    namesAny: ranges.length > 0,
    mayCall: (address, protocol) => isNamed(address) || (protocol === 'https:' && isPublic(address)),
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

/** With mapped addresses (::ffff:127.0.0.1) as the IPv4 addresses that they are. */
const parse = (address: string): Address | null => (isIP(address) === 0 ? null : ipaddr.process(address))

function rangeOf(text: string): Range {
  const [address = '', bits] = text.split('/')
  const parsed = ipaddr.process(address)
  return [parsed, bits === undefined ? (parsed.kind() === 'ipv4' ? 32 : 128) : Number(bits)]
}

const isWithin = (address: Address, range: Range): boolean =>
  address.kind() === range[0].kind() && address.match(range as [ipaddr.IPv4, number] & [ipaddr.IPv6, number])
