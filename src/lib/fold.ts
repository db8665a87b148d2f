/** Marks that accents become when a letter is decomposed. */
const accents = /[\u0300-\u036f]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII.
const ascii = /^[\0-\x7f]*$/

/** One letter at a time. The two small letters of sigma are one: JavaScript writes the other at the end of a word. */
const lower = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Text to compare by: without case, accents and the difference of full-width forms ("cafe" finds "Café"). */
export const fold = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : lower(text.normalize('NFKD').replace(accents, ''))

/**
 * A regular expression of PostgreSQL that finds the text in a decomposed one (NFKD) exactly where `fold` would find it:
 * its own rules for letters depend on its version and collation.
 */
export const foldedPattern = (text: string): string =>
  [...fold(text.toWellFormed())]
    .map(letter => `[${[letter, ...(variants().get(letter) ?? [])].map(escaped).join('')}][\\u0300-\\u036f]*`)
    .join('')

const escaped = (letter: string): string => `\\U${(letter.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`

const lastLetter = 0x1ffff
let found: Map<string, string[]> | undefined

/** The letters that `fold` makes another one. Collected at the first search: it takes some milliseconds. */
function variants(): Map<string, string[]> {
  if (found) return found
  found = new Map()
  for (let code = 0; code <= lastLetter; code++) {
    const letter = String.fromCodePoint(code)
    const small = lower(letter)
    if (small === letter || !letter.isWellFormed()) continue
    const known = found.get(small)
    if (known) known.push(letter)
    else found.set(small, [letter])
  }
  return found
}
