import type { ServerResponse } from 'node:http'

type Callback = (error?: Error | null) => void

/**
 * Sends the first half of an answer's body and closes the connection. The request is carried out in full: only its answer
 * is lost, as by a broken network. Collects what is written, because half of it is known only at the end.
 */
export function cutAnswer(raw: ServerResponse): void {
  const write = raw.write.bind(raw)
  const chunks: Buffer[] = []

  /** Node's arguments of write and end: chunk, encoding, callback, of which any may be left out. */
  function collect(args: readonly unknown[]): void {
    const [chunk, encoding] = args
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encodingOf(encoding)))
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    const callback = args.find(argument => typeof argument === 'function') as Callback | undefined
    if (callback) process.nextTick(callback)
  }

  raw.write = (...args: unknown[]): boolean => {
    collect(args)
    return true
  }
  raw.end = (...args: unknown[]): ServerResponse => {
    collect(args)
    const body = Buffer.concat(chunks)
    while (raw.writableCorked > 0) raw.uncork()
    if (body.length === 0) return raw.destroy()
    write(body.subarray(0, Math.ceil(body.length / 2)), () => raw.destroy())
    return raw
  }
}

const encodingOf = (encoding: unknown): BufferEncoding =>
  typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8'
