/**
 * A request target without the address that a client may put in front of it (RFC 9112 §3.2.2, absolute-form), so that
 * nobody takes that address for the server's own.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
