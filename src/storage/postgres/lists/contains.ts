/**
 * Without case and accents, as SQLite does: `pattern` is `foldedPattern` of lib/fold.ts. Most names are ASCII, which need
 * not be decomposed.
 */
export const contains = (column: string, pattern: string): string =>
  `coalesce((case when octet_length(${column}) = char_length(${column}) then ${column}
    else normalize(${column}, NFKD) end) collate "C" ~ ${pattern}, false)`
