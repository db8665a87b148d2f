import { claim } from '../../../lib/release.ts'

/** A message begins with a byte for its kind, and its length as an int32 that counts itself but not the kind. */
const header = 5
/** The server itself sends none that is larger. */
const maxLength = 2 ** 30

function lengthOf(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1)
  if (length < 4 || length > maxLength) throw new Error('the server at this address is not PostgreSQL')
  return 1 + length
}

/**
 * Cuts the bytes of a socket into whole messages, copied out of the read buffer so that the socket can reuse it. The
 * driver would concatenate the pieces of a large row again with each read (docs/decisions.md, Mechanisms).
 * A message that spans several reads has a buffer of its own, which `release` may free. Throws when these are no messages.
 */
export function createMessages(deliver: (messages: Buffer) => void): (bytes: Buffer) => void {
  /** Part of a header, at the end of the last read. */
  let rest: Buffer | null = null
  /** A message of which `filled` bytes have been read. */
  let partial: Buffer | null = null
  let filled = 0

  return read => {
    const bytes: Buffer = rest ? Buffer.concat([rest, read]) : read
    rest = null
    let start = 0
    if (partial) {
      start = bytes.copy(partial, filled)
      filled += start
      if (filled < partial.length) return
      const message = partial
      partial = null
      claim(message)
      deliver(message)
    }
    let end = start
    while (bytes.length - end >= header && lengthOf(bytes, end) <= bytes.length - end)
      end += lengthOf(bytes, end)
    if (end > start) deliver(Buffer.from(bytes.subarray(start, end)))
    if (bytes.length - end >= header) {
      partial = Buffer.allocUnsafeSlow(lengthOf(bytes, end))
      filled = bytes.copy(partial, 0, end)
    } else if (end < bytes.length) rest = Buffer.from(bytes.subarray(end))
  }
}
