import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/**
 * Nothing is expanded before somebody reads. The pipeline counts a gunzip as done once all bytes were written to it, and
 * then listens no longer; data that ends early is an error only after that, which without a reader would end the process.
 */
export async function* gunzip(compressed: Readable): AsyncGenerator<Buffer> {
  const expanded = createGunzip()
  // An error reaches whoever reads; the callback only keeps it from being unhandled.
  pipeline(compressed, expanded, () => {})
  yield* expanded as AsyncIterable<Buffer>
}
