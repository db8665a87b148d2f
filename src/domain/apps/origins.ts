import type { App, Storage } from '../../storage/port/index.ts'

/**
 * From which web pages a browser may use an app's tokens: the origins of its redirect URIs, whose pages get the app's
 * authorization codes anyway. Script of any other page cannot read the answers.
 */
export const mayCallFrom = (app: App | null, origin: string): boolean =>
  app !== null && app.disabled_at === null && app.redirect_uris.some(uri => originOf(uri) === origin)

/** Null for an address without one: its serialization is "null", which a browser sends for sandboxed pages. */
function originOf(uri: string): string | null {
  const origin = URL.parse(uri)?.origin ?? 'null'
  return origin === 'null' ? null : origin
}

/** Whether any enabled app has a redirect URI there: the request that a browser sends first names no app. */
export async function isOriginOfApp(
  storage: Pick<Storage, 'apps'>,
  origin: string,
  { publicOnly }: { publicOnly: boolean },
): Promise<boolean> {
  if (originOf(origin) !== origin) return false
  const apps = await storage.apps.redirectingTo(origin)
  return apps.some(app => mayCallFrom(app, origin) && (app.public || !publicOnly))
}
