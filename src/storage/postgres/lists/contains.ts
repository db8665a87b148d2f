import { fold, foldedPattern } from '../../../lib/fold.ts'

/** The values of a search, in the order of its parameters: see `contains`. */
export const searched = (text: string): [folded: string, pattern: string] => [fold(text), foldedPattern(text)]

/**
 * Without case and accents, as SQLite does. `folded` and `pattern` are parameters with the values of `searched`. Most
 * names are ASCII, where looking for the folded text takes a third of the time of the regular expression.
 */
export const contains = (column: string, folded: string, pattern: string): string =>
  `coalesce(case when octet_length(${column}) = char_length(${column})
    then strpos(lower(${column} collate "C"), ${folded}::text) > 0
    else normalize(${column}, NFKD) collate "C" ~ ${pattern} end, false)`
