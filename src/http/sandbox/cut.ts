import type { ServerResponse } from 'node:http'

type Callback = (error?: Error | null) => void

/** Bytes that are kept until the length of the answer is known; a longer answer is cut here. */
const mostKept = 64 * 1024

/**
 * Sends the first half of an answer's body, or of its first 64 KiB, and closes the connection. The request is carried
 * out: only its answer is lost, as by a broken network.
 */
export function cutAnswer(raw: ServerResponse): void {
  const write = raw.write.bind(raw)
  const chunks: Buffer[] = []
  let kept = 0
  let isCut = false

  /** Node's arguments of write and end: chunk, encoding, callback, of which any may be left out. */
  function keep(args: readonly unknown[]): void {
    const [chunk, encoding] = args
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encodingOf(encoding)) : chunk
    if (bytes instanceof Uint8Array) {
      // A copy, because the sender reuses its memory.
      const part = Buffer.from(bytes.subarray(0, mostKept - kept))
      chunks.push(part)
      kept += part.length
    }
    const callback = args.find(argument => typeof argument === 'function') as Callback | undefined
    if (callback && kept < mostKept) process.nextTick(callback)
  }

  function cut(): void {
    if (isCut) return
    isCut = true
    while (raw.writableCorked > 0) raw.uncork()
    if (kept === 0) raw.destroy()
    else write(Buffer.concat(chunks).subarray(0, Math.ceil(kept / 2)), () => raw.destroy())
  }

  raw.write = (...args: unknown[]): boolean => {
    if (isCut) return false
    keep(args)
    if (kept === mostKept) cut()
    return !isCut
  }
  raw.end = (...args: unknown[]): ServerResponse => {
    if (!isCut) keep(args)
    cut()
    return raw
  }
}

const encodingOf = (encoding: unknown): BufferEncoding =>
  typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8'
