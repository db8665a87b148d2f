import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/**
 * A generator, so that nothing is expanded before it is read. `pipeline` stops listening for errors once all bytes are
 * written; truncated data fails only after that, and without a reader the error would end the process.
 */
export async function* gunzip(compressed: Readable): AsyncGenerator<Buffer> {
  const expanded = createGunzip()
  // The reader gets the error; the callback only keeps it from being unhandled.
  pipeline(compressed, expanded, () => {})
  yield* expanded as AsyncIterable<Buffer>
}
