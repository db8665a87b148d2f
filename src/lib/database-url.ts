/** Both schemes that libpq knows, in any case (RFC 3986 §3.1). */
export const isPostgresUrl = (database: string): boolean => /^postgres(ql)?:\/\//i.test(database)

/**
 * A scheme (also misspelt, with one slash, or in quotes), libpq's `host=… password=…`, or credentials before a host. As
 * a path, each of them would silently start an empty database.
 */
const addressLike = /^[\s"']*(?:[a-z][a-z0-9+.-]+:|\w+=|postgres(?:ql)?\W?\/\/)|:\/\/|\/\/.*@|:.*@/is

/** `C:\data` and `C:/data`; with an @ it may be a user with a password. */
const windowsDrive = /^[a-z]:(?=\\|\/(?!\/))(?!.*@)/is

/**
 * What is wrong with the address of a database, to follow its name; null when it is a file path or a postgres:// URL.
 * The address itself is not shown, because it may hold a password.
 */
export function addressProblem(database: string): string | null {
  if (isPostgresUrl(database) || !addressLike.test(database.replace(windowsDrive, ''))) return null
  const [, scheme] = /^([a-z][a-z0-9+.-]{1,15}:)\//i.exec(database) ?? []
  const found = scheme ? `starts with "${scheme}"` : 'looks like a URL'
  return `${found}; it must be a postgres:// URL or a file path (put ./ before a file name that looks like a URL)`
}
