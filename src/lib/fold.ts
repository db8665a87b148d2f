/** Marks that accents become when a letter is decomposed. */
const accents = /[\u0300-\u036f]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII.
const ascii = /^[\0-\x7f]*$/

/**
 * Text to compare by: without case, accents and the difference of full-width forms ("cafe" finds "Café"). PostgreSQL
 * does the same in storage/postgres/lists/contains.ts.
 */
export const fold = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : text.normalize('NFKD').replace(accents, '').toLowerCase()
