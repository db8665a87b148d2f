/** lib/fold.ts. Most names are ASCII, where SQLite's own `lower` does the same in a fraction of the time. */
const folded = (text: string): string =>
  `iif(octet_length(${text}) <> length(${text}), fold(${text}), lower(${text}))`

/** Without case and accents. */
export const contains = (column: string, text = '?1'): string => `instr(${folded(column)}, fold(${text})) > 0`
