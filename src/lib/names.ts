/**
 * Names that people decide by: of apps, stores, items and devices. Invisible and direction-changing characters would let
 * one name look like another. Some are part of correct spelling; those are allowed where they have an effect.
 */

/** A variation selector behind the character that it varies: a Han character, or a symbol as emoji or as text. */
const variant = /(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=[\p{S}\p{P}\p{N}])[\ufe0e\ufe0f]/gu

/** Scripts whose spelling needs a joiner or non-joiner between two letters (https://www.unicode.org/reports/tr31/). */
const joining =
  '\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}' +
  '\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}'
const letterJoiner = new RegExp(`(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])`, 'gu')

const emojiJoiner = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}])\u200d(?=\p{Extended_Pictographic})/gu

/** The flags of England, Scotland and Wales are a black flag with the region in invisible tags. */
const flagTags = /(?<=\u{1f3f4})[\u{e0061}-\u{e007a}]{4,6}\u{e007f}/gu

const hidden =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u

const visible = /[\p{L}\p{N}\p{S}\p{P}]/u

const visibleAscii = /^[ -~]*[!-~][ -~]*$/

/** Whether the text shows something, and shows all that it contains. */
export function isName(text: string): boolean {
  // The regular expressions below take ten times as long.
  if (visibleAscii.test(text)) return true
  const plain = [variant, letterJoiner, emojiJoiner, flagTags].reduce(
    (rest, part) => rest.replace(part, ''),
    text,
  )
  return visible.test(plain) && !hidden.test(plain)
}

export const nameRule = 'with a visible character and no control, invisible or direction-changing ones'
