import { printable } from './printable.ts'

/** Takes the place of what is left out. */
const removed = '[removed]'
const longestValue = 200

/** A parameter whose name has one of these words never keeps its value. */
const secretName =
  /token|secret|pass|pwd|code|verifier|assertion|auth|credential|key|session|cookie|csrf|bearer|jwt|signature/i

/** Random-looking text that is no secret: a cursor (a JSON array as base64url) or a feed. */
const knownShapes = [/^Wy[IJ][\w-]*$/, /^[0-9a-f]{24,32}-[oi]{1,2}$/]

/**
 * A query string without secrets, cut to about `most` characters: it leaves out the values of parameters that are named
 * like a secret, and every value that looks like a token, however it is encoded.
 */
export function redactQuery(query: string, most: number): string {
  let kept = ''
  for (const [part] of query.matchAll(/[^&;]+[&;]?|[&;]/g)) {
    kept += redactParameter(part)
    if (kept.length > most) break
  }
  return cut(kept, most)
}

/** A sentence without the quoted values and words that look like a token, cut to `most` characters. */
export const redactText = (text: string, most: number): string =>
  cut(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|[\w~-]{20,}/g, found => (looksSecret(found) ? removed : found)),
    most,
  )

function redactParameter(part: string): string {
  const [, pair = '', separator = ''] = /^([^&;]*)([&;]?)$/.exec(part) ?? []
  const [, name = '', value = ''] = /^([^=]*)=?([^]*)$/.exec(decoded(pair)) ?? []
  if (looksSecret(name)) return removed + separator
  const shown = pair.split('=', 1)[0] ?? ''
  if (value !== '' && (secretName.test(name) || looksSecret(value))) {
    return `${decoded(shown) === name ? shown : name}=${removed}${separator}`
  }
  const longest = shown.length + 1 + longestValue
  return (pair.length > longest ? `${pair.slice(0, longest)}…` : pair) + separator
}

/** Percent-encoding removed, also a repeated one. Bytes beyond ASCII need no care: tokens have none. */
function decoded(text: string): string {
  let before = text
  for (let round = 0; round < 3; round++) {
    const after = before.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (after === before) break
    before = after
  }
  return before
}

/** A JWT, credentials of the Authorization header, or a long word that mixes cases or has letters and digits. */
function looksSecret(text: string): boolean {
  if (knownShapes.some(shape => shape.test(text))) return false
  if (/eyJ[\w-]{5}/.test(text) || /\b(?:bearer|basic)[\s+]+\S/i.test(text)) return true
  return (text.match(/[\w~+/=-]{20,}/g) ?? []).some(isMixed)
}

const isMixed = (word: string): boolean =>
  /[a-z]/i.test(word) && (/\d/.test(word) || (/[a-z]/.test(word) && /[A-Z]/.test(word)))

/** Printable and well-formed, as every engine stores it, and in memory of its own: a slice would keep the whole text. */
function cut(text: string, most: number): string {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text
  return Buffer.from(printable(shown).toWellFormed()).toString()
}
