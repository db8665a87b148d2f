/**
 * Where a browser may be sent with an authorization code (spec 5.2: "its base must match the redirect URI
 * registered"; RFC 9700 §2.1, §4.1). The base is everything before the first `?`, and it matches byte for byte. So
 * that no reader of the URI can see another host or path in it than we did, only URIs that have one reading pass.
 */

const longest = 2000

// RFC 3986 §2: no space, control character, backslash or letter beyond ASCII among them.
const uriCharacters = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/

// URL parsers decode or repair what is written in other ways (`ex%61mple.com`, `*.example.com`), each in its own.
const plainHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

// `%25` is an encoded `%`: the repetition finds what is encoded twice or more.
const encodedDot = /%(?:25)*2e/i
const encodedSlash = /%(?:25)*(?:2f|5c)/i
const encodedControl = /%(?:25)*(?:[01][0-9a-f]|7f)/i
const brokenEncoding = /%(?![0-9a-f]{2})/i

/** Why a URI cannot be registered; null when it can. */
export function checkRegistered(uri: string): string | null {
  if (uri.length > longest) return `it has ${uri.length} characters; the most is ${longest}`
  if (!uriCharacters.test(uri)) {
    return 'it has a character that a URI may not contain, such as a space, a backslash or a letter beyond ASCII'
  }
  if (uri.includes('#')) return 'it has a fragment (#)'
  if (uri.includes('?')) return 'it has a query (?); a query is added by each request, not registered'

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
  // Some servers cut `;…` off a segment before they resolve it: `..;` is `..` to them.
  const segments = path.split('/').map(segment => segment.split(';', 1)[0])
  if (segments.includes('.') || segments.includes('..')) return 'it has a dot segment (. or ..)'
  return null
}

/**
 * What URL parsing would change (`:443`, `127.1`, an IPv6 address not in its short form) is refused, because browsers
 * would see the changed form. One change is harmless: a URI that ends with its host gains the `/` that every request
 * to it has anyway. It still matches only as registered, without the slash.
 */
function checkCanonical(uri: string, path: string): string | null {
  const parsed = URL.parse(uri)?.href
  if (parsed === undefined) return 'it is not a valid URL'
  const expected = path === '' ? `${uri}/` : uri
  return parsed === expected ? null : `browsers read it as ${parsed}; register that form`
}

/** What we answer with: planted in the query, it would stand beside our own word, or pass for it. */
const ours = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'scope']

/** Whether a request may name this URI: a registered one, with or without a query behind it. */
export function matches(requested: string, registered: readonly string[]): boolean {
  if (requested.length > longest || !uriCharacters.test(requested) || requested.includes('#')) return false
  const [base = ''] = requested.split('?', 1)
  const query = new URLSearchParams(requested.slice(base.length))
  // The query is the app's own data; but what might break a line of a header or of a log is no data.
  if (/%(?:[01][0-9a-f]|7f)/i.test(requested)) return false
  if (ours.some(name => query.has(name))) return false
  // Checked again, so that a URI which came into the database by another way opens nothing either.
  return registered.includes(base) && checkRegistered(base) === null
}
