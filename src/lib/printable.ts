/**
 * Text for a terminal: characters that move the cursor, set colours or reverse the text direction become escapes, since
 * names come from untrusted people.
 */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
