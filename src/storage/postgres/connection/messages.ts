import { claim } from '../../../lib/release.ts'

/** The bytes of a message are its kind, and its length as an int32 that counts itself but not the kind. */
const head = 5
/** The server itself makes none that is larger. */
const longest = 2 ** 30

function lengthOf(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1)
  if (length < 4 || length > longest) throw new Error('what answers there is not PostgreSQL')
  return 1 + length
}

/**
 * Cuts what comes over a socket into whole messages, in memory of their own, so that the bytes it was read into can be
 * read into again. The driver, fed with what a socket happens to give, joins the pieces of each large row anew: all of
 * that is memory which only the collector gives back, and it took more time than everything else. A message that did not come
 * at once is given alone, and its memory is claimed by whoever gets it. Throws when these are no messages.
 */
export function createMessages(deliver: (messages: Buffer) => void): (bytes: Buffer) => void {
  /** The first bytes of a message whose length is not known yet. */
  const beginning = Buffer.alloc(head)
  let begun = 0
  /** A message that is not whole yet. */
  let growing: Buffer | null = null
  let filled = 0

  function grow(bytes: Buffer, from: number): number {
    const message = growing as Buffer
    const taken = bytes.copy(message, filled, from)
    filled += taken
    if (filled === message.length) {
      growing = null
      claim(message)
      deliver(message)
    }
    return from + taken
  }

  function startGrowing(length: number): void {
    growing = Buffer.allocUnsafeSlow(length)
    filled = begun === 0 ? 0 : beginning.copy(growing)
    begun = 0
  }

  function begin(bytes: Buffer, from: number): number {
    const taken = bytes.copy(beginning, begun, from)
    begun += taken
    if (begun === head) startGrowing(lengthOf(beginning, 0))
    return from + taken
  }

  return bytes => {
    let at = 0
    if (begun > 0) at = begin(bytes, at)
    if (growing) at = grow(bytes, at)
    if (growing || begun > 0) return
    let end = at
    while (bytes.length - end >= head && lengthOf(bytes, end) <= bytes.length - end)
      end += lengthOf(bytes, end)
    if (end > at) deliver(Buffer.from(bytes.subarray(at, end)))
    if (bytes.length - end >= head) {
      startGrowing(lengthOf(bytes, end))
      grow(bytes, end)
    } else if (end < bytes.length) begin(bytes, end)
  }
}
