/** RFC 4180. A text is always quoted; null is an empty cell. */
export const csvLine = (cells: readonly (string | number | bigint | null)[]): string =>
  `${cells.map(cell => (typeof cell === 'string' ? quoted(cell) : (cell ?? ''))).join(',')}\r\n`

/**
 * A spreadsheet runs a text that begins like this as a formula, so an apostrophe comes before it
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/

/** The same behind a semicolon, at which a spreadsheet splits a line where the comma is the decimal sign. */
const laterFormula = /([;\t\r\n]\s*)(?=[=+\-@＝＋－＠])/g

const quoted = (text: string): string => {
  const safe = text.replace(laterFormula, "$1'")
  return `"${(formula.test(safe) ? `'${safe}` : safe).replaceAll('"', '""')}"`
}

/** Without it, Excel reads the file in the encoding of the machine. */
export const csvStart = '\u{feff}'
