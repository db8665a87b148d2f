/** RFC 4180. A text is always quoted; null is an empty cell. */
export const csvLine = (cells: readonly (string | number | bigint | null)[]): string =>
  `${cells.map(cell => (typeof cell === 'string' ? quoted(cell) : (cell ?? ''))).join(',')}\r\n`

/**
 * A spreadsheet runs a text that begins like this as a formula, so an apostrophe comes before it
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/

const quoted = (text: string): string => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** Without it, Excel reads the file in the encoding of the machine. */
export const csvStart = '\u{feff}'
