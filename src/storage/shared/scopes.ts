/** A person on the pages reads whatever an app could read (contract/scopes.ts). */
export const everyScope = 'integration.store integration.order integration.inventory'

/** The scopes that the feed of changes needs, one of them (domain/reading/changes.ts). */
const feedScopes = ['integration.order', 'integration.inventory']

/** SQL of both engines: whether both columns have a scope with which the changes of a store may be read. */
export const readsChangesSql = (column: string, other: string): string => {
  const has = (name: string, scope: string) => `' ' || ${name} || ' ' like '% ${scope} %'`
  return `(${feedScopes.map(scope => `${has(column, scope)} and ${has(other, scope)}`).join(' or ')})`
}

/** SQL of both engines: the column, which has a scope at most once, without the scope of this parameter. */
export const withoutScopeSql = (column: string, scope: string): string =>
  `trim(replace(' ' || ${column} || ' ', ' ' || ${scope} || ' ', ' '))`
