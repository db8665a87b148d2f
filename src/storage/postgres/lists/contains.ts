/** Ignores the case of A to Z and of no other letter, as SQLite does. */
export const contains = (column: string, text = '$1::text'): string =>
  `coalesce(strpos(lower(${column} collate "C"), lower(${text} collate "C")), 0) > 0`
