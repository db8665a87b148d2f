/**
 * For a terminal: characters that move its cursor, colour it or turn the direction of the text around are shown as
 * escapes. Names come from people whom the reader need not trust.
 */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
