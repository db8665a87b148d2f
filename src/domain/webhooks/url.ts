import { isIP } from 'node:net'
import { InputError } from '../input-error.ts'
import type { AddressRules } from './address.ts'

const maxLength = 2000

/** https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
const localName = /(^|\.)localhost\.?$/

/** The host of a URL as an address, null for a name. WHATWG parsing has turned decimal and octal forms into dotted ones. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? null : host
}

/**
 * An endpoint's URL as it is stored; throws when it can never be called. A name is looked up, and its addresses are
 * checked, at each attempt.
 */
export function checkUrl(text: string, rules: AddressRules): string {
  const url = URL.parse(text)
  // Encoded, a URL is up to nine times as long.
  if (Math.max(text.length, url?.href.length ?? 0) > maxLength)
    throw new InputError('url', `the URL must have at most ${maxLength} characters`)
  // No request ever goes to port 0, nor to a name without a letter or digit.
  if (!url || url.port === '0' || !/[^.]/.test(url.hostname))
    throw new InputError(
      'url',
      'the URL is not valid; it must be absolute, such as https://app.example.com/hooks',
    )
  if (url.username !== '' || url.password !== '')
    throw new InputError('url', 'the URL must not hold a user name or password')
  if (url.href.includes('#')) throw new InputError('url', 'the URL must not have a fragment (#)')
  const address = literalAddress(url)
  const named = address === null ? rules.namesAny : rules.isNamed(address)
  const isPrivate =
    address === null ? localName.test(url.hostname) && !named : !rules.mayCall(address, url.protocol)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && named)) {
    throw new InputError(
      'url',
      'the URL must begin with https://, unless TILLGATE_WEBHOOK_ALLOW names its address',
    )
  }
  if (isPrivate) {
    throw new InputError('url', 'the URL must be at a public address, unless TILLGATE_WEBHOOK_ALLOW names it')
  }
  return url.href
}
