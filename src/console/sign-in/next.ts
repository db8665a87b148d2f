/** The page that a person goes on to after signing in, as the address of the sign-in page carries it. */

/** No page has a longer address. Encoded once more, a longer one would not fit into a request. */
const maxLength = 2000

/** The sign-in page, which leads on to `next`. */
export const loginAddress = (next: string | null): string => withNext('/login', next)

export const withNext = (path: string, next: string | null): string =>
  next === null || next.length > maxLength ? path : `${path}?next=${encodeURIComponent(next)}`

/** A path of this server alone: null for an address elsewhere, or one that a browser could read as elsewhere. */
export function safeNext(next: string, issuer: string): string | null {
  if (!localPath.test(next)) return null
  const url = URL.parse(next, issuer)
  if (url?.origin !== new URL(issuer).origin) return null
  const path = url.pathname + url.search
  // Checked once more, because `/.//elsewhere` is a local path until its dot is resolved.
  // The authorization endpoint redirects to other sites, so no sign-in leads there.
  return localPath.test(path) && !path.startsWith('/auth/') ? path : null
}

/** One slash, not followed by another one or a backslash, then printable ASCII without a backslash. */
const localPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
