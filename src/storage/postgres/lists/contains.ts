/** Letters with two cases that have no accent, besides A to Z: `lower` knows them only in some collations. */
const upper = 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏÆÐØÞĐŁŒ'

/**
 * As lib/fold.ts: decomposed, without accents, in lower case. Most names are ASCII, where `lower` alone does the same in a
 * fraction of the time.
 */
const fold = (text: string): string =>
  `case when octet_length(${text}) = char_length(${text}) then lower(${text} collate "C") else ${foldAny(text)} end`

const foldAny = (text: string): string =>
  `translate(lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]+', '', 'g') collate "C"), '${upper}', '${upper.toLowerCase()}')`

/** Without case and accents, as SQLite does. */
export const contains = (column: string, text = '$1::text'): string =>
  `coalesce(strpos(${fold(column)}, ${fold(text)}), 0) > 0`
