/**
 * Whether a link to a store, `linked`, has one of the scopes (an SQL array). As a case, of which PostgreSQL expects every
 * second row to be true: of the bare condition it would expect one row of an app, and sort all its stores for a page
 * instead of reading a part of the index. With 100,000 stores that took 570 ms instead of 1.
 */
export const hasScopeSql = (scopes: string): string =>
  `case when string_to_array(linked.scope, ' ') && ${scopes}::text[] then true end`
