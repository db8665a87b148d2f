/**
 * The origin-form of a request target in absolute-form (RFC 9112 §3.2.2), so that the client's address for the server is
 * never used.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
