import { loopbackHosts } from '../../lib/address.ts'

/**
 * Where a browser may be sent with an authorization code (spec 5.2: "its base must match the redirect URI
 * registered"; RFC 9700 §2.1, §4.1). The base is everything before the first `?`, and it matches byte for byte. URIs that
 * parsers could interpret differently are refused.
 */

const longest = 2000

// RFC 3986 §2: no spaces, control characters, backslashes or non-ASCII letters.
const uriCharacters = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/

// URL parsers disagree about hosts in other forms (`ex%61mple.com`, `*.example.com`).
const plainHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

// `%25` is an encoded `%`: the repetition matches double and deeper encoding.
const encodedDot = /%(?:25)*2e/i
const encodedSlash = /%(?:25)*(?:2f|5c)/i
const encodedControl = /%(?:25)*(?:[01][0-9a-f]|7f)/i
const brokenEncoding = /%(?![0-9a-f]{2})/i

/** Why a URI cannot be registered; null when it can. */
export function checkRegistered(uri: string): string | null {
  if (uri.length > longest) return `it has ${uri.length} characters; the maximum is ${longest}`
  if (!uriCharacters.test(uri)) {
    return 'it has a character that a URI may not contain, such as a space, a backslash or a letter beyond ASCII'
  }
  if (uri.includes('#')) return 'it has a fragment (#)'
  if (uri.includes('?')) return 'it has a query (?); requests may add a query, but it is not registered'

  const [, scheme, authority, path] = /^(https?):\/\/([^/]*)(.*)$/.exec(uri) ?? []
  if (scheme === undefined || authority === undefined || path === undefined) {
    return 'it does not start with https:// (or http:// on a loopback host)'
  }
  return checkAuthority(scheme, authority) ?? checkPath(path) ?? checkCanonical(uri, path)
}

function checkAuthority(scheme: string, authority: string): string | null {
  if (authority === '' || authority.startsWith(':')) return 'it has no host'
  if (authority.includes('@')) return 'it has a user name before the host (@)'
  if (!plainHost.test(authority)) return 'its host is not a lower-case name or an address'
  if (scheme === 'http' && !loopbackHosts.includes(authority.replace(/:\d+$/, ''))) {
    return `http is for loopback hosts only (${loopbackHosts.join(', ')}); others need https`
  }
  return null
}

function checkPath(path: string): string | null {
  if (brokenEncoding.test(path)) return 'it has a % that is not followed by two hexadecimal digits'
  if (encodedDot.test(path)) return 'it has an encoded dot (%2e)'
  if (encodedSlash.test(path)) return 'it has an encoded slash or backslash (%2f, %5c)'
  if (encodedControl.test(path)) return 'it has an encoded control character'
  // Some servers strip `;…` from a segment before they resolve it, so that `..;` becomes `..`.
  const segments = path.split('/').map(segment => segment.split(';', 1)[0])
  if (segments.includes('.') || segments.includes('..')) return 'it has a dot segment (. or ..)'
  return null
}

/**
 * Refuses URIs that URL parsing would change (`:443`, `127.1`, a long IPv6 form): a browser would follow the changed form.
 * Only the `/` added behind a bare host is accepted; the URI still matches as registered, without the slash.
 */
function checkCanonical(uri: string, path: string): string | null {
  const parsed = URL.parse(uri)?.href
  if (parsed === undefined) return 'it is not a valid URL'
  const expected = path === '' ? `${uri}/` : uri
  return parsed === expected ? null : `browsers read it as ${parsed}; register that form`
}

/** Parameters of the authorization response: an attacker could plant them in the query to forge one. */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'scope']

/** Whether a request may use this URI: a registered one, optionally followed by a query. */
export function matches(requested: string, registered: readonly string[]): boolean {
  if (requested.length > longest || !uriCharacters.test(requested) || requested.includes('#')) return false
  const [base = ''] = requested.split('?', 1)
  const query = new URLSearchParams(requested.slice(base.length))
  // The query belongs to the app, but control characters could split a header or a log line.
  if (/%(?:[01][0-9a-f]|7f)/i.test(requested)) return false
  if (responseParameters.some(name => query.has(name))) return false
  // Checked again, in case a URI reached the database by another path.
  return registered.includes(base) && checkRegistered(base) === null
}
