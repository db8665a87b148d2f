import type { KoaContextWithOIDC } from 'oidc-provider'
import { sha256 } from '../lib/hash.ts'
import { randomSecret } from '../lib/ids.ts'

/**
 * Identifies the browser that began an authorization request; only that browser may decide on it. The provider's cookies
 * have a path each, which __Host- forbids, so a sibling host could set them to those of another person's request.
 */
export const browserCookie = (secure: boolean): string =>
  secure ? '__Host-tillgate_browser' : 'tillgate_browser'

/** Longer than a request may be pending; each request renews it, because several may be pending in one browser. */
const lifetime = 86_400

/** The parameter of the pending request with the cookie's hash. It overwrites a value that the app sends. */
export const browserParameter = 'tillgate_browser'

/** Middleware of the provider. */
export function bindToBrowser(secure: boolean) {
  const name = browserCookie(secure)
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.path !== '/auth/v2/authorize') return next()
    const sent = ctx.cookies.get(name, { signed: false })
    const value = sent !== undefined && isSecret(sent) ? sent : randomSecret()
    ctx.query = { ...ctx.query, [browserParameter]: sha256(value) }
    await next()
    if (!ctx.oidc?.entities.Interaction) return
    ctx.cookies.set(name, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      signed: false,
      overwrite: true,
      maxAge: lifetime * 1000,
    })
  }
}

const isSecret = (value: string): boolean => /^[\w-]{43}$/.test(value)
