import type { KoaContextWithOIDC } from 'oidc-provider'
import { sha256 } from '../lib/hash.ts'
import { randomSecret } from '../lib/ids.ts'

/**
 * Which browser began an authorization request. The provider's own cookies belong to one path each, so their names
 * cannot begin with __Host-, and a neighbouring host could plant those of a request that somebody else began. This one
 * belongs to the whole site: under https no other host can set it, and whoever decides on a request must bring the one
 * that it began with.
 */
export const browserCookie = (secure: boolean): string =>
  secure ? '__Host-tillgate_browser' : 'tillgate_browser'

/** Longer than a request may wait, and begun anew by each: several may wait in one browser. */
const lifetime = 86_400

/** The parameter of the waiting request that holds the cookie's hash. It is ours, whatever the app sent by this name. */
export const browserParameter = 'tillgate_browser'

/** A middleware of the provider. */
export function bindToBrowser(secure: boolean) {
  const name = browserCookie(secure)
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.path !== '/auth/v2/authorize') return next()
    const brought = ctx.cookies.get(name, { signed: false })
    const value = brought !== undefined && isSecret(brought) ? brought : randomSecret()
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
