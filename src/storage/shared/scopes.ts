/** A person on the pages reads whatever an app could read (contract/scopes.ts). */
export const everyScope = 'integration.store integration.order integration.inventory'

/** SQL of both engines: the column, which has a scope at most once, without the scope of this parameter. */
export const withoutScopeSql = (column: string, scope: string): string =>
  `trim(replace(' ' || ${column} || ' ', ' ' || ${scope} || ' ', ' '))`
